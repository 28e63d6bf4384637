"""Check a release as a stranger gets it: build it, install the wheel elsewhere, use it without the repository.

    make release-check
    python tools/release_check.py --keep DIRECTORY      # leave everything in DIRECTORY (new or empty), to look at

In a temporary folder: (1) builds the sdist, and the wheel from it; (2) compares their files with the repository;
(3) installs the wheel into an environment of its own; (4) runs the README's `tabcast` commands as printed; (5) runs
a sample of the tests, the README's Python blocks among them, from the unpacked sdist without its `src`, so that the
installed package is what is tested.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SAMPLE = [
    "tests/end_to_end/test_readme.py",
    "tests/end_to_end/test_cli.py",
    "tests/contracts/test_public_api.py",
    "tests/cli/test_demo.py",
    "tests/cli/test_predict.py",
    "tests/labeling/test_server.py",
    "tests/density/test_empirical_likelihood.py",
    "tests/pseudo_labels",
]
# Files of the package that are no Python: what a build forgets first.
DATA = (
    "tabcast/py.typed",
    "tabcast/labeling/page.html",
    "tabcast/study/datasets/catalog.toml",
    "tabcast/study/models/spaces.toml",
)
GENERATED = {"PKG-INFO"}  # in the sdist, not in the repository
SHELLS = ("sh", "bash", "shell", "console")
NOT_HERE = ("tabcast study ", "tabcast label ", "python -m pip ")  # hours; waits for a person; another way to install


def run(*command: object, cwd: Path, **variables: str) -> str:
    """Run a command without Python variables of the caller; its output, or the end of everything."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**environment, "PYTHONUTF8": "1", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        sys.exit(f"release-check: {shlex.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def say(text: str) -> None:
    """Show what is being done."""
    print(f"release-check: {text}", flush=True)


def find_version() -> str:
    """The version, from the only place that has it."""
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/tabcast/__init__.py").read_text("utf-8"), re.MULTILINE)
    return found[1] if found else sys.exit("release-check: src/tabcast/__init__.py has no __version__.")


def build(place: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from the sdist."""
    run(sys.executable, "-m", "build", "--outdir", place, ROOT, cwd=place.parent)
    (sdist,), (wheel,) = place.glob("*.tar.gz"), place.glob("*.whl")
    return sdist, wheel


def tracked_files() -> set[str]:
    """Files that git knows; a file that is not committed is in no release."""
    return set(run("git", "ls-files", "-z", cwd=ROOT).split("\0")) - {""}


def check_files(sdist: Path, wheel: Path, tracked: set[str]) -> list[str]:
    """What is missing in the sdist or the wheel, or should not be there."""
    with tarfile.open(sdist) as archive:
        inside = {
            name.split("/", 1)[1] for name in archive.getnames() if "/" in name and archive.getmember(name).isfile()
        }
    with zipfile.ZipFile(wheel) as archive:
        installed = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = {name.removeprefix("src/") for name in tracked if name.startswith("src/tabcast/")}
    return [
        *(f"not in the sdist: {name}" for name in sorted(tracked - inside)),
        *(f"in the sdist, but not committed: {name}" for name in sorted(inside - tracked - GENERATED)),
        *(f"not in the wheel: {name}" for name in sorted((package | set(DATA)) - installed)),
        *(f"in the wheel, but not of the package: {name}" for name in sorted(installed - package)),
    ]


def make_environment(place: Path, wheel: Path, groups: Path) -> Path:
    """Install the wheel, and what the tests need beside it, into a new environment; its folder of programs."""
    run(sys.executable, "-m", "venv", place, cwd=place.parent)
    programs = place / ("Scripts" if os.name == "nt" else "bin")
    pip = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, "--upgrade", "pip", cwd=place)
    run(*pip, wheel, cwd=place)
    run(programs / "python", "-m", "pip", "check", cwd=place)
    run(*pip, "--group", f"{groups}:test-oldest", cwd=place)
    return programs


def check_import(programs: Path, environment: Path, version: str, place: Path) -> None:
    """The package is the installed one, of this version."""
    code = "import tabcast; print(tabcast.__file__); print(tabcast.__version__)"
    file, found = run(programs / "python", "-c", code, cwd=place).split("\n")[:2]
    if not Path(file).is_relative_to(environment):
        sys.exit(f"release-check: tabcast was imported from {file}, not from the installed wheel.")
    if found != version:
        sys.exit(f"release-check: the installed version is {found}, that of the source {version}.")


def readme_commands(text: str) -> list[str]:
    """Commands that a README prints, in order: indented lines and blocks of a shell, without comments."""
    commands, fence = [], None
    for line in text.splitlines():
        mark = re.match(r"```(\w*)", line)
        if mark:
            fence = mark[1] if fence is None else None
        elif fence in SHELLS or (fence is None and re.match(r"    \S", line)):
            commands.append(re.split(r"(?:^|\s)#", line.strip().removeprefix("$ "))[0].strip())
    return [line for line in commands if line]


def run_readme(programs: Path, place: Path) -> None:
    """Run the commands of the README as they are printed, in the unpacked sdist without `src`."""
    commands = [line for line in readme_commands((place / "README.md").read_text("utf-8")) if is_for_everybody(line)]
    if not any(line.startswith("tabcast fit ") for line in commands):
        sys.exit("release-check: the README has no `tabcast fit` command.")
    for line in commands:
        say(line)
        program, *options = shlex.split(line)
        run(programs / program, *options, cwd=place)


def is_for_everybody(command: str) -> bool:
    """Whether a command of the README can be run with the package and the README's examples alone."""
    return command.startswith(("tabcast ", "python ")) and not command.startswith(NOT_HERE)


def check(place: Path) -> None:
    """Everything, in a new folder."""
    say(f"building version {find_version()}")
    sdist, wheel = build(place / "dist")
    problems = check_files(sdist, wheel, tracked_files())
    if problems:
        sys.exit("release-check: " + "\nrelease-check: ".join(problems))
    say(f"{sdist.name} ({sdist.stat().st_size / 1e6:.1f} MB) and {wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB)")
    with tarfile.open(sdist) as archive:
        archive.extractall(place / "unpacked", filter="data")
    source = place / "unpacked" / sdist.name.removesuffix(".tar.gz")
    shutil.rmtree(source / "src")
    say("installing the wheel into a new environment")
    environment = place / "environment"
    programs = make_environment(environment, wheel, source / "pyproject.toml")
    check_import(programs, environment, find_version(), source)
    run_readme(programs, source)
    say(f"tests against the installed wheel: {' '.join(SAMPLE)}")
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [programs / "python", "-m", "pytest", "-q", "-n", "2", "-m", "not slow", *SAMPLE]
    print(run(*command, cwd=source, **threads).rstrip().rsplit("\n", 1)[-1])
    say(f"version {find_version()} is ready")


def main() -> None:
    """Check in a temporary folder, or in one that is kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="Folder to work in and leave as it is in the end; new or empty.")
    keep = parser.parse_args().keep
    with tempfile.TemporaryDirectory(prefix="tabcast-release-") as temporary:
        place = Path(temporary) if keep is None else keep.resolve()
        place.mkdir(parents=True, exist_ok=True)
        if any(place.iterdir()):
            sys.exit(f"release-check: {place} is not empty.")
        check(place)


if __name__ == "__main__":
    main()
