"""``quire types`` writes typed models, and reports outdated ones."""

import json
from pathlib import Path

from tests.unit.cli.conftest import Run


def test_both_languages_are_written(run: Run, project: Path, tmp_path: Path) -> None:
    python, typescript = tmp_path / "models.py", tmp_path / "models.ts"

    code, _, messages = run("types", project, "--python", python, "--typescript", typescript)

    assert code == 0
    assert "class Article(Struct, kw_only=True):" in python.read_text(encoding="utf-8")
    assert "export interface Article {" in typescript.read_text(encoding="utf-8")
    assert messages.count("was written") == 2


def test_what_is_current_is_not_written_again(run: Run, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "models.py"
    run("types", project, "--python", file)
    written = file.stat().st_mtime_ns

    code, _, messages = run("types", project, "--python", file)

    assert code == 0
    assert "is up to date" in messages
    assert file.stat().st_mtime_ns == written


def test_a_check_says_which_files_are_out_of_date(run: Run, project: Path, tmp_path: Path) -> None:
    file = tmp_path / "models.ts"
    run("types", project, "--typescript", file)
    assert run("types", project, "--typescript", file, "--check").code == 0

    schema = project / "src/api/tag/content-types/tag/schema.json"
    tag = json.loads(schema.read_text(encoding="utf-8"))
    tag["attributes"]["colour"] = {"type": "string"}
    schema.write_text(json.dumps(tag), encoding="utf-8")
    before = file.read_bytes()
    code, _, messages = run("types", project, "--typescript", file, "--check")

    assert code == 1
    assert "models.ts is out of date" in messages
    assert file.read_bytes() == before


def test_it_asks_which_file_to_write(run: Run, project: Path) -> None:
    code, _, messages = run("types", project)

    assert code == 2
    assert "--python FILE, --typescript FILE or --documents FILE" in messages


def test_a_file_that_cannot_be_written_is_an_error(run: Run, project: Path, tmp_path: Path) -> None:
    code, _, messages = run("types", project, "--python", tmp_path / "nowhere" / "models.py")

    assert code == 2
    assert "cannot be written" in messages
