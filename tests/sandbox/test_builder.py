"""
Builds with a stand-in for Go, a script that writes what it was asked.

Not proven here: that the pinned modules compile; `make tools` does that.
"""

import fcntl
import hashlib
import json
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox import builder
from sandbox.builder import Build, BuildError, Bundle, Copy, obtain

GO = """#!/bin/sh
echo "$PWD $CGO_ENABLED $GOTOOLCHAIN $GOWORK ${GOROOT:-none} $*" >>"$CALLS"
echo "go: downloading example.org/tool v1.2.3" >&2
case "$1 $2" in
"mod download") echo '{"Dir": "'"$SOURCES"'"}' ;;
"list -deps") printf 'errors\\nexample.org/tool\\n' ;;
build*)
    echo example.org/tool >&2
    if [ -n "$BREAK" ]; then echo "tool.go:7: no such thing" >&2; exit 2; fi
    while [ "$1" != -o ]; do shift; done
    echo "built" >"$2"
    chmod +x "$2" ;;
esac
"""
BUNDLE = Bundle(
    name="tool",
    builds=(
        Build(
            name="tool",
            module="module",
            package="example.org/tool/cmd/tool",
            version_variable="example.org/tool/version.Version",
        ),
    ),
    copies=(Copy(module="module", source="example.org/tool", file="scripts/helper"),),
    minutes=3,
    gigabytes=4,
)


@pytest.fixture
def environ(tmp_path, monkeypatch):
    """Set up a machine: a Go, a module to build, a cache."""
    go = tmp_path / "go" / "bin" / "go"
    go.parent.mkdir(parents=True)
    go.write_text(GO)
    go.chmod(0o755)
    module = tmp_path / "modules" / "module"
    module.mkdir(parents=True)
    (module / "go.mod").write_text(
        "module tools\n\nrequire (\n\texample.org/tool v1.2.3 // indirect\n)\n"
    )
    (module / "go.sum").write_text("example.org/tool v1.2.3 h1:abc=\n")
    helper = tmp_path / "sources" / "scripts" / "helper"
    helper.parent.mkdir(parents=True)
    helper.write_text("#!/bin/sh\n")
    monkeypatch.setattr(builder, "_go_root", lambda: tmp_path / "go")
    monkeypatch.setattr(builder, "_MODULES", tmp_path / "modules")
    return {
        "PATH": os.environ["PATH"],
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "CALLS": str(tmp_path / "calls"),
        "SOURCES": str(tmp_path / "sources"),
        "GOROOT": "/usr/local/go",
    }


def calls(environ):
    try:
        return Path(environ["CALLS"]).read_text().splitlines()
    except FileNotFoundError:
        return []


def test_a_bundle_is_built_once_and_then_taken_from_the_cache(environ):
    first = obtain(BUNDLE, environ)
    asked = len(calls(environ))
    second = obtain(BUNDLE, environ)

    assert first == second
    assert asked == len(calls(environ))
    assert ["helper", "manifest.json", "tool"] == sorted(
        path.name for path in first.iterdir()
    )
    assert all(os.access(first / name, os.X_OK) for name in ("helper", "tool"))


def test_the_folder_lies_in_the_cache_of_the_user(environ, tmp_path):
    folder = obtain(BUNDLE, environ)

    assert tmp_path / "cache" / "eks-jobs" == folder.parent
    assert folder.name.startswith("tool-")


def test_go_is_the_one_of_the_virtual_environment_and_pins_are_not_changed(
    environ, tmp_path
):
    obtain(BUNDLE, environ)
    module = tmp_path / "modules" / "module"
    flags = "-ldflags=-s -w -X example.org/tool/version.Version=v1.2.3"
    (target,) = (line.split(" -o ")[1].split()[0] for line in calls(environ)[1:2])

    assert [
        f"{module} 0 local off none list -deps example.org/tool/cmd/tool",
        f"{module} 0 local off none build -v {flags} -o {target} "
        "example.org/tool/cmd/tool",
        f"{module} 0 local off none mod download -json example.org/tool",
    ] == calls(environ)


def test_tags_leave_parts_out_and_make_another_folder(environ):
    plain = obtain(BUNDLE, environ)
    Path(environ["CALLS"]).unlink()
    (build,) = BUNDLE.builds
    small = obtain(replace(BUNDLE, builds=(replace(build, tags=("a", "b")),)), environ)
    listed, built, _ = calls(environ)

    assert plain != small
    assert listed.endswith(" list -deps -tags=a,b example.org/tool/cmd/tool")
    assert " build -v -tags=a,b -ldflags=" in built


@pytest.mark.parametrize("file", ["go.mod", "go.sum", "main.go"])
def test_a_changed_pin_or_program_is_another_folder(environ, tmp_path, file):
    source = tmp_path / "modules" / "module" / file
    source.touch()
    before = obtain(BUNDLE, environ)
    source.write_text(source.read_text() + "\n// changed\n")

    assert before != obtain(BUNDLE, environ)
    assert before.exists()


def test_a_program_of_our_own_has_the_version_of_what_it_wraps(environ, tmp_path):
    go_mod = tmp_path / "modules" / "module" / "go.mod"
    go_mod.write_text("module own\n\nrequire example.org/tool/v2 v2.1.0\n")
    own = Build(
        name="own",
        module="module",
        package=".",
        version_variable="example.org/tool/v2/version.Version",
    )
    obtain(replace(BUNDLE, builds=(own,)), environ)

    assert "v2.1.0" == own.version
    assert " -X example.org/tool/v2/version.Version=v2.1.0 -o " in calls(environ)[1]
    assert calls(environ)[1].endswith("/own .")


def test_a_program_that_knows_its_version_is_told_none(environ):
    plain = replace(BUNDLE.builds[0], version_variable=None)
    obtain(replace(BUNDLE, builds=(plain,)), environ)

    assert " build -v -ldflags=-s -w -o " in calls(environ)[1]


def test_a_module_is_found_without_a_build(environ, tmp_path):
    folder = builder.module_folder("module", "example.org/tool", environ)

    assert tmp_path / "sources" == folder
    assert [
        f"{tmp_path}/modules/module 0 local off none mod download -json "
        "example.org/tool"
    ] == calls(environ)


def test_where_a_bundle_will_be_is_known_before_it_is_built(environ):
    expected = builder.folder_of(BUNDLE, environ)

    assert not expected.exists()
    assert expected == obtain(BUNDLE, environ)


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "tool").write_text("bui1t\n"),
        lambda folder: (folder / "tool").unlink(),
        lambda folder: (folder / "manifest.json").unlink(),
        lambda folder: (folder / "manifest.json").write_text('{"tool": '),
    ],
    ids=["changed byte", "missing program", "half built", "torn manifest"],
)
def test_a_damaged_cache_is_built_again(environ, capsys, damage):
    folder = obtain(BUNDLE, environ)
    damage(folder)

    assert folder == obtain(BUNDLE, environ)
    assert "built\n" == (folder / "tool").read_text()
    assert f"{folder} is damaged: building it again.\n" in capsys.readouterr().out


def test_what_a_killed_build_left_is_removed(environ, tmp_path):
    left_over = tmp_path / "cache" / "eks-jobs" / ".building-tool-abc"
    left_over.mkdir(parents=True)
    folder = obtain(BUNDLE, environ)

    assert [folder.name, "tool.lock", "tool.log"] == sorted(
        path.name for path in folder.parent.iterdir()
    )


def test_a_failed_build_shows_the_end_of_its_log_and_can_be_repeated(environ, tmp_path):
    log = tmp_path / "cache" / "eks-jobs" / "tool.log"
    with pytest.raises(BuildError) as caught:
        obtain(BUNDLE, environ | {"BREAK": "yes"})

    assert (
        f"tool could not be built, log {log}:\n"
        "go: downloading example.org/tool v1.2.3\n"
        "go: downloading example.org/tool v1.2.3\n"
        "example.org/tool\n"
        "tool.go:7: no such thing"
    ) == str(caught.value)
    assert (obtain(BUNDLE, environ) / "tool").exists()


def test_progress_counts_modules_and_packages(environ, capsys, monkeypatch):
    monkeypatch.setattr(builder, "_QUIET_SECONDS", 0.0)
    obtain(BUNDLE, environ)

    assert [
        "Building tool v1.2.3 from source, once: about 3 min on two cores, "
        "4 GB in Go's caches.",
        "  tool: 1 modules fetched, 0 s",
        "  tool: 1 modules fetched, 0 s",
        "  tool: 0 of at most 2 packages built, 0 s",
        "  tool: 1 of at most 2 packages built, 0 s",
        "  tool: 1 of at most 2 packages built, 0 s",
        "  example.org/tool: 1 modules fetched, 0 s",
        "  example.org/tool: 1 modules fetched, 0 s",
    ] == capsys.readouterr().out.splitlines()


def test_a_second_builder_waits_for_the_first(environ, tmp_path, monkeypatch):
    said, waits, results = [], threading.Event(), []

    def listen(text, **_):
        said.append(text)
        waits.set()

    monkeypatch.setattr(builder, "print", listen, raising=False)
    cache = tmp_path / "cache" / "eks-jobs"
    cache.mkdir(parents=True)
    with (cache / "tool.lock").open("w") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        second = threading.Thread(
            target=lambda: results.append(obtain(BUNDLE, environ))
        )
        second.start()
        assert waits.wait(timeout=10)
        assert [] == calls(environ)
    second.join(timeout=10)

    assert "Waiting for another build of tool to end." == said[0]
    assert [obtain(BUNDLE, environ)] == results


def test_the_manifest_holds_size_and_digest_of_each_file(environ):
    manifest = json.loads((obtain(BUNDLE, environ) / "manifest.json").read_text())

    assert {
        "helper": {"size": 10, "sha256": hashlib.sha256(b"#!/bin/sh\n").hexdigest()},
        "tool": {"size": 6, "sha256": hashlib.sha256(b"built\n").hexdigest()},
    } == manifest
