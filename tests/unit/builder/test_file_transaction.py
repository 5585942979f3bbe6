"""An interrupted change of several files is completed or rolled back."""

import os
from pathlib import Path

import pytest

from quire.builder import file_transaction
from quire.builder.file_changes import FileChange
from quire.builder.file_transaction import (
    FileTransaction,
    UnwritableFilesError,
    has_file_transactions,
    recover,
)

CHANGES = [
    FileChange(path="src/api/a/schema.json", before="old a", after="new a"),
    FileChange(path="src/api/b/schema.json", before="old b", after=None),
    FileChange(path="src/api/c/deep/schema.json", before=None, after="new c"),
]
BEFORE = {one.path: one.before for one in CHANGES if one.before is not None}
AFTER = {one.path: one.after for one in CHANGES if one.after is not None}
LONG_AGO = 1_000_000_000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for path, content in BEFORE.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(content)
    return tmp_path


def files(project: Path) -> dict[str, str]:
    """All files below ``src``, hidden ones included."""
    found = [path for path in project.glob("src/**/*") if path.is_file()]
    return {path.relative_to(project).as_posix(): path.read_text() for path in found}


def begun(project: Path) -> FileTransaction:
    one = FileTransaction(project, "later", CHANGES)
    one.prepare()
    return one


def test_a_finished_change_leaves_nothing_else_behind(project: Path) -> None:
    begun(project).finish()
    assert files(project) == AFTER
    assert not (project / "src/api/b").exists()
    assert not has_file_transactions(project)


def test_a_discarded_change_leaves_nothing_behind(project: Path) -> None:
    begun(project).discard()
    assert files(project) == BEFORE
    assert not (project / "src/api/c").exists()
    assert not has_file_transactions(project)


@pytest.mark.parametrize("done", range(len(CHANGES) + 1))
def test_what_the_database_knows_of_is_finished(
    project: Path, done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is killed after some of the files have taken their places."""
    one, taken = begun(project), 0
    real = file_transaction.take_place

    def die(folder: Path, change: FileChange) -> None:
        nonlocal taken
        if taken == done:
            raise KeyboardInterrupt
        taken += 1
        real(folder, change)

    def kept(_: FileTransaction) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(file_transaction, "take_place", die)
        patched.setattr(FileTransaction, "_clear", kept)
        with pytest.raises(KeyboardInterrupt):
            one.finish()
    recover(project, "later")
    assert files(project) == AFTER
    assert not has_file_transactions(project)


def test_what_the_database_knows_nothing_of_is_forgotten_when_it_is_old(project: Path) -> None:
    begun(project)
    assert recover(project, "former") == []
    assert has_file_transactions(project), "it may still be under way"
    for path in project.glob(".quire-change-*"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    assert recover(project, "former") == []
    assert files(project) == BEFORE
    assert not has_file_transactions(project)


@pytest.mark.parametrize("content", [b'{"version": "lat', b'{"version": "\xff"}'])
def test_a_journal_that_was_cut_off_is_forgotten(project: Path, content: bytes) -> None:
    (project / ".quire-change-0123.json").write_bytes(content)
    recover(project, "later")
    assert files(project) == BEFORE
    assert not has_file_transactions(project)


def test_what_somebody_has_written_since_stays(project: Path) -> None:
    begun(project)
    (project / CHANGES[0].path).write_bytes(b"by hand \xff")
    recover(project, "later")
    assert (project / CHANGES[0].path).read_bytes() == b"by hand \xff"


def test_what_cannot_be_written_is_reported_before_anything_is(project: Path) -> None:
    (project / "src/api/c").write_text("a file where a folder should be")
    with pytest.raises(
        UnwritableFilesError, match=r"src/api/c/deep/schema\.json cannot be written"
    ):
        begun(project)
    assert files(project) == {**BEFORE, "src/api/c": "a file where a folder should be"}
    assert not has_file_transactions(project)
