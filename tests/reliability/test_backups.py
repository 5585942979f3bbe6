"""A backup that is made under load holds all that was acknowledged before it, and is consistent."""

import json
import subprocess
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from bench.servers import quire, running
from tests.conformance.corpus import credentials
from tests.databases.kind import Kind, opened
from tests.examples import examples
from tests.postgresql.binaries import find_binaries
from tests.reliability.articles import Site
from tests.unit.cli.processes import QUIRE

ROUNDS = examples(3)


def run(*arguments: object) -> None:
    subprocess.run([QUIRE, *map(str, arguments)], check=True)


def test_a_backup_under_load_holds_what_was_acknowledged(
    kind: Kind,
    own_recorded: Path,
    recorded: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(find_binaries()), prepend=":")
    token = credentials().api_tokens["full"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    ended, written = Event(), list[str]()

    def write(port: int) -> None:
        with closing(Site(port, token).connect()) as connection:
            while not ended.is_set():
                label = f"load {len(written)}"
                body = json.dumps({"data": {"label": label}})
                connection.request("POST", "/api/tags", body, headers)
                response = connection.getresponse()
                response.read()
                assert response.status == 201
                written.append(label)

    backups: list[tuple[Path, set[str]]] = []
    with running(quire(own_recorded), "/_health", frozenset({204})) as server:
        writer = Thread(target=write, args=(server.port,))
        writer.start()
        try:
            for number in range(ROUNDS):
                before = set(written)
                archive = tmp_path / f"{number}.tar"
                run("backup", own_recorded, "--to", archive)
                backups.append((archive, before))
        finally:
            ended.set()
            writer.join()
    assert len(written) > ROUNDS

    for number, (archive, before) in enumerate(backups):
        project = kind.copy(recorded, tmp_path / f"restored{number}")
        run("restore", project, "--from", archive, "--replace")
        run("check", project)
        with opened(kind, project) as rows:
            labels = {str(label) for (label,) in rows.execute("SELECT label FROM tags")}
            assert before <= labels
            assert list(rows.damage()) == []
        kind.release(project)
