"""`quire openapi` writes the OpenAPI document for a caller with all permissions."""

import json
from pathlib import Path

from tests.unit.cli.conftest import Run

ROUTE = """
from quire import route

@route.get("/articles/popular")
async def popular(limit: int = 10) -> list[str]:
    return []
"""


def test_the_document_has_all_operations_and_routes_of_code(
    run: Run, project: Path, tmp_path: Path
) -> None:
    (project / "src/api/article/popular.py").write_text(ROUTE, encoding="utf-8")
    file = tmp_path / "openapi.json"

    outcome = run("openapi", project, "--output", file)

    assert outcome.code == 0, outcome
    document = json.loads(file.read_text(encoding="utf-8"))
    assert document["openapi"] == "3.1.0"
    assert {"get", "post"} <= document["paths"]["/articles"].keys()
    assert "get" in document["paths"]["/articles/popular"]
    code, printed, _ = run("openapi", project)
    assert (code, json.loads(printed)) == (0, document)


def test_a_file_that_cannot_be_written_is_an_error(run: Run, project: Path, tmp_path: Path) -> None:
    code, _, messages = run("openapi", project, "--output", tmp_path / "nowhere" / "api.json")

    assert code == 2
    assert "cannot be written" in messages
