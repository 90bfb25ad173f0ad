"""The direction of imports, the one reader of configuration, and the public surface."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import components
from tests.conftest import LONGEST

ROOT = Path(__file__).parent.parent

SDKS = {"boto3", "botocore", "pulumi", "pulumi_aws", "pulumi_eks", "pulumi_kubernetes"}

# What each folder or module may import besides the standard library; the longest
# entry that fits a file counts.
MAY_IMPORT = {
    "components/spec": {"components.spec", "yaml"},
    # Calendars only: test_nothing_that_ships_asks_for_the_time.
    "components/spec/balloon/year.py": {"components.spec", "datetime"},
    "components/spec/cron.py": {"components.spec", "datetime"},
    "components/spec/time_zones.py": {"components.spec", "datetime"},
    # It writes the JSON of Grafana, and reads neither files nor clocks.
    "components/spec/monitoring/dashboards/written.py": {
        "components.spec",
        "grafana_foundation_sdk",
    },
    "components": {"components"} | SDKS,
    "infra": {"components.spec", "infra", "pulumi", "yaml"},
    "infra/program.py": {"components", "infra", "pulumi"},
    "__main__.py": {"infra", "pulumi"},
    # Reads what programs of other languages send as `infra` reads stack files.
    "plugin": {"components", "infra", "plugin", "pulumi"},
    "examples": {"components", "pulumi", "pulumi_kubernetes"},
}

# What the lab may import of others besides.
LAB_TOOLS = {"kubernetes", "matplotlib", "rich", "urllib3", "yaml"}

# Modules whose answers differ between two runs of the same program.
UNSTEADY = {"datetime", "os", "random", "socket", "subprocess", "time", "uuid"}

FILES = [
    path.relative_to(ROOT)
    for folder in ("components", "infra", "plugin", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
] + [Path("__main__.py")]

# Folders that hold what people wrote; the rest is made by tools.
WRITTEN = [
    ".ci",
    "components",
    "docs",
    "examples",
    "infra",
    "lab",
    "plugin",
    "sandbox",
    "scripts",
    "tests",
]

# Paths of one machine, or of a folder beside the checkout.
ELSEWHERE = re.compile(r"\.\./shared|(?<![\w./-])/(work|root)/")


def imports(path: Path) -> Iterator[str]:
    """Name what a file imports, with relative names written out."""
    package = path.parent.parts
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def rule(path: Path) -> set[str]:
    ways = [path.as_posix(), *(parent.as_posix() for parent in path.parents)]
    return next(MAY_IMPORT[way] for way in ways if way in MAY_IMPORT)


def allowed(module: str, roots: set[str]) -> bool:
    if module.split(".")[0] in sys.stdlib_module_names - UNSTEADY:
        return True
    return any(f"{module}.".startswith(f"{root}.") for root in roots)


@pytest.mark.parametrize("path", FILES, ids=str)
def test_imports_point_inwards(path):
    wrong = [name for name in imports(path) if not allowed(name, rule(path))]

    # `from infra import program` names the package before the module.
    assert [] == [
        name for name in wrong if name not in {"components", "infra", "plugin"}
    ]


def test_components_name_each_other_without_the_name_of_their_package():
    # Installed, the package has another name: eks_jobs.
    absolute = re.compile(r"^\s*(from|import) components\b", re.MULTILINE)
    ships = [path for path in FILES if path.parts[0] == "components"]

    assert [] == [path for path in ships if absolute.search(read(path))]


def test_nothing_that_ships_asks_for_the_time():
    asking = re.compile(r"\.(now|today|utcnow)\(")

    assert [] == [path for path in FILES if asking.search(read(path))]


def test_nothing_that_ships_imports_the_sandbox():
    names = {name.split(".")[0] for path in FILES for name in imports(path)}

    assert set() == names & {"sandbox", "tests", "scripts", "moto"}


def test_the_stand_ins_of_the_sandbox_share_no_code_with_the_components():
    files = sorted((ROOT / "sandbox").rglob("*.py"))
    names = {name for path in files for name in imports(path.relative_to(ROOT))}

    assert set() == {name for name in names if name.split(".")[0] == "components"}


def test_the_lab_reads_specs_and_stack_files_and_no_component():
    """It measures what we render; pulumi is there for the errors of a stack file."""
    may = {"components.spec", "infra.settings", "lab", "sandbox", "pulumi"} | LAB_TOOLS
    files = [path.relative_to(ROOT) for path in sorted((ROOT / "lab").rglob("*.py"))]
    wrong = {
        f"{path}: {name}"
        for path in files
        for name in imports(path)
        if name not in ("infra", "components")
        and not any(f"{name}.".startswith(f"{root}.") for root in may)
        and name.split(".")[0] not in sys.stdlib_module_names
    }

    assert set() == wrong


def test_only_settings_reads_the_configuration():
    readers = {
        path.as_posix()
        for path in FILES
        if re.search(r"\bConfig\(|pulumi\.Config|runtime\.config", read(path))
    }

    assert {"__main__.py", "infra/settings.py"} == readers


def test_components_do_not_ask_which_stack_they_are_in():
    stateful = re.compile(r"\bget_(stack|project|organization|root_directory)\b")
    ships = [path for path in FILES if path.parts[0] == "components"]

    assert [] == [path for path in ships if stateful.search(read(path))]


def test_public_names_are_sorted_and_complete():
    public = {
        name
        for name in dir(components)
        if not name.startswith("_")
        and not isinstance(getattr(components, name), ModuleType)
    }

    assert sorted(public) == sorted(components.__all__)
    assert sorted(components.__all__, key=isort) == components.__all__


def test_no_file_speaks_of_a_folder_beside_the_checkout():
    above = [path for path in ROOT.iterdir() if path.is_file()]
    below = [path for folder in WRITTEN for path in (ROOT / folder).rglob("*")]
    named = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in sorted([*above, *below])
        if path.is_file() and path.suffix != ".pyc"
        for line in path.read_text(errors="replace").splitlines()
        if ELSEWHERE.search(line)
    ]

    assert [] == named


def read(path: Path) -> str:
    return (ROOT / path).read_text()


def isort(name: str) -> tuple[int, str]:
    """Constants first, then classes, then functions, as ruff sorts them."""
    if name.isupper():
        return 0, name
    return (1, name) if name[0].isupper() else (2, name)


def test_the_files_that_tests_begin_with_exist():
    assert [] == [file for file in LONGEST if not (ROOT / file).is_file()]
