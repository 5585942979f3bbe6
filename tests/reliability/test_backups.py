"""A backup under load contains all acknowledged writes, and is consistent."""

from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.examples import examples
from tests.postgresql.binaries import find_binaries
from tests.reliability.backups import backup_under_load

ROUNDS = examples(3)


def test_a_backup_under_load_holds_what_was_acknowledged(
    kind: Kind,
    own_recorded: Path,
    recorded: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(find_binaries()), prepend=":")

    found = backup_under_load(kind, own_recorded, recorded, tmp_path, rounds=ROUNDS)

    assert found.problems == []
    assert found.complete == ROUNDS
    assert found.acknowledged > ROUNDS
