"""Where a run is saved: other disks, links, mounts, folders that are in use; all of it or nothing."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tabcast.exceptions import TabcastWarning
from tabcast.files._atomic import name_unfinished, write_text
from tabcast.runs import RunFolderError, load_run
from tabcast.runs import _folder as module
from tabcast.runs._folder import FILES, check_folder, write_folder

OLD, NEW = "old", "new"


def save(folder, text=NEW, refuse=lambda folder: None):
    write_folder(Path(folder), {name: lambda path: path.write_text(text) for name in FILES}, refuse)


def contents(folder):
    """The text of every file in a folder, hidden ones included."""
    return {one.name: one.read_text() if one.is_file() else "folder" for one in Path(folder).iterdir()}


def whole(text):
    return dict.fromkeys(FILES, text)


@pytest.fixture
def other_disk(tmp_path):
    """A folder on another filesystem than the one of `tmp_path`."""
    place = Path("/dev/shm")
    if not os.access(place, os.W_OK) or place.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("needs another filesystem at /dev/shm")
    with TemporaryDirectory(dir=place) as folder:
        yield Path(folder)


@pytest.mark.parametrize("exists", ["nothing", "empty", "run"])
def test_a_link_to_another_disk(other_disk, tmp_path, exists):
    target, link = other_disk / "out", tmp_path / "link"
    if exists != "nothing":
        target.mkdir()
    if exists == "run":
        save(target, OLD)
    link.symlink_to(target)
    check_folder(link, overwrite=True)
    save(link)
    assert link.is_symlink()
    assert contents(link) == contents(target) == whole(NEW)
    assert list(other_disk.iterdir()) == [target]
    assert list(tmp_path.iterdir()) == [link]


@pytest.fixture(params=[None, OLD], ids=["empty", "run"])
def taken(request, tmp_path):
    """A folder that is there already, empty or with an earlier run."""
    folder = tmp_path / "out"
    folder.mkdir()
    if request.param:
        save(folder, request.param)
    return folder


def test_nothing_can_be_made_beside_the_folder(tmp_path, monkeypatch, taken):
    """As in a folder of which the parent is not writable, or which is the root of a disk."""
    mkdir = Path.mkdir

    def refuse(path, *arguments, **options):
        if path.parent == tmp_path and path != taken:
            raise PermissionError(13, "Permission denied", str(path))
        mkdir(path, *arguments, **options)

    monkeypatch.setattr(Path, "mkdir", refuse)
    check_folder(taken, overwrite=True)
    save(taken)
    assert contents(taken) == whole(NEW)
    with pytest.raises(RunFolderError, match=r"`folder` .*new cannot be written \(Permission denied\)"):
        check_folder(tmp_path / "new")
    assert list(tmp_path.iterdir()) == [taken]


def test_a_folder_that_cannot_be_renamed(tmp_path, monkeypatch, taken):
    """As one that is mounted."""
    rename = os.rename

    def refuse(source, target):
        if Path(source) == taken:
            raise OSError(16, "Device or resource busy", str(source))
        rename(source, target)

    monkeypatch.setattr(module.os, "rename", refuse)
    save(taken)
    assert contents(taken) == whole(NEW)
    assert list(tmp_path.iterdir()) == [taken]


def test_a_real_mount(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    if os.name != "posix" or subprocess.run(["mount", "-t", "tmpfs", "none", folder], capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    try:
        for text in (OLD, NEW):
            check_folder(folder, overwrite=True)
            save(folder, text)
            assert contents(folder) == whole(text)
    finally:
        subprocess.run(["umount", folder], check=True)


def test_the_current_folder_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(".", OLD)
    save(".", NEW)
    assert contents(tmp_path) == whole(NEW)
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize("others", [False, True], ids=["a folder of its own", "beside other files"])
@pytest.mark.parametrize("old", [None, OLD])
def test_stopped_at_any_rename_it_is_the_old_run_or_the_new_one(tmp_path, monkeypatch, others, old):
    """Whatever step fails or is interrupted, no new model stands beside an old summary."""
    rename, stops = os.rename, 0
    for last in range(30):
        folder = tmp_path / str(last) / "out"
        folder.mkdir(parents=True)
        if old:
            save(folder, OLD)
        if others:
            (folder / "mine.txt").write_text("mine")
        before, n_renames = contents(folder), 0

        def stop(source, target, last=last):
            nonlocal n_renames
            n_renames += 1
            if n_renames == last + 1:
                raise KeyboardInterrupt
            rename(source, target)

        with monkeypatch.context() as patch:
            patch.setattr(module.os, "rename", stop)
            try:
                save(folder)
            except KeyboardInterrupt:
                stops += 1
                assert contents(folder) == before
            else:
                assert contents(folder) == whole(NEW) | ({"mine.txt": "mine"} if others else {})
        assert list(folder.parent.iterdir()) == [folder]
        if n_renames <= last:
            break
    assert stops == n_renames > 0


def test_a_run_that_appears_while_writing_is_not_replaced(tmp_path):
    folder = tmp_path / "out"

    def appear_and_refuse(place):
        save(folder, OLD)
        raise RunFolderError("taken")

    with pytest.raises(RunFolderError, match="taken"):
        save(folder, NEW, appear_and_refuse)
    assert contents(folder) == whole(OLD)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_check_leaves_no_trace(tmp_path):
    check_folder(tmp_path / "a" / "b" / "out")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunFolderError, match=r"cannot be made, because .*file is a file"):
        check_folder(tmp_path / "file" / "out")
    with pytest.raises(RunFolderError, match=r"cannot be written \(No such file or directory\)"):
        check_folder("/proc/nobody/out")
    with pytest.raises(RunFolderError, match="is the root of a disk; give a folder in it"):
        check_folder("/")
    (tmp_path / "summary.json").write_text('{"tabcast": "1"}')
    with pytest.raises(RunFolderError, match="is not the summary of a run"):
        load_run(tmp_path)
    with pytest.raises((RunFolderError, OSError), match="name too long"):
        check_folder(tmp_path / ("x" * 300))


def name_of_a_dead_process(path):
    """The temporary name that a process gave to a folder before it died."""
    code = f"from pathlib import Path; from tabcast.files._atomic import *; print(name_unfinished(Path({str(path)!r})))"
    return Path(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip())


def test_what_killed_runs_left_is_removed_or_named(tmp_path):
    folder = tmp_path / "out"
    dead, alive = name_of_a_dead_process(folder / "out"), name_unfinished(folder / "out")
    for one in (dead, alive):
        one.mkdir(parents=True)
        (one / "model.skops").write_text("half")
    neighbor = name_of_a_dead_process(tmp_path / "out.csv")
    neighbor.write_text("of another file")
    with pytest.warns(TabcastWarning, match="is unfinished") as caught:
        check_folder(folder)
    assert [str(alive)] == [str(one.message).split(" is unfinished")[0] for one in caught]
    assert list(folder.iterdir()) == [alive]
    write_text(tmp_path / "out.csv", "whole")
    assert not neighbor.exists()


def test_a_run_that_was_put_aside_is_named(tmp_path):
    folder = tmp_path / "out"
    aside = name_of_a_dead_process(folder / "out").with_suffix(".replaced")
    save(aside, OLD)
    with pytest.warns(TabcastWarning, match=r"replaced is the earlier run of .*out"):
        check_folder(folder)
    assert contents(aside) == whole(OLD)
    save(folder)
    check_folder(folder, overwrite=True)  # the newer one is there: it is not needed any more
    assert not aside.exists()
