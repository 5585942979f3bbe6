"""``quire port`` lists JavaScript that is not understood, and writes skeletons that load."""

from pathlib import Path

import pytest

from quire.cli import run
from quire.extensions import load_extensions
from tests.extending.project import schema_in
from tests.unit.schema.trees import write_tree

JAVASCRIPT = {
    "src/api/paper/content-types/paper/lifecycles.js": (
        "module.exports = { beforeCreate(event) { event.params.data.title = fetch('x'); } };"
    ),
    "src/api/paper/policies/is-owner.js": (
        "module.exports = async (ctx) => { const r = await fetch('x'); return r.ok; };"
    ),
    "src/api/paper/routes/paper.js": (
        "const { createCoreRouter } = require('@strapi/strapi').factories;"
        "module.exports = createCoreRouter('api::paper.paper',"
        " { config: { delete: { policies: ['is-owner'] } } });"
    ),
    "src/api/paper/routes/other.js": (
        "module.exports = { routes: [{ method: 'GET', path: '/papers/of/:name',"
        " handler: 'paper.ofName' }] };"
    ),
    "src/api/paper/controllers/paper.js": (
        "const { createCoreController } = require('@strapi/strapi').factories;"
        "module.exports = createCoreController('api::paper.paper', ({ strapi }) => ({"
        " async ofName(ctx) { return fetch('x'); } }));"
    ),
    "config/cron-tasks.js": "module.exports = { '0 1 * * *': async () => { await fetch('x'); } };",
}


def test_files_are_listed_with_what_they_belong_under(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    write_tree(tmp_path, JAVASCRIPT)
    before = set(tmp_path.rglob("*"))
    assert run(["port", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "src/api/paper/content-types/paper/lifecycles.js" in printed
    assert "port it to @before_write, @after_write" in printed
    assert "port it to a @policy, or a @rule where it is about rows" in printed
    assert "GET /papers/of/:name" in printed
    assert set(tmp_path.rglob("*")) == before


def test_skeletons_load_and_are_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = schema_in(tmp_path)
    write_tree(tmp_path, JAVASCRIPT)
    assert run(["port", str(tmp_path), "--write"]) == 0
    extensions = load_extensions(tmp_path, schema)
    hooks = extensions.writes["api::paper.paper", "create"]
    assert [hook.name for hook in (*hooks.before, *hooks.after)] == ["before", "after"]
    assert [(one.method, one.path) for one in extensions.routes] == [("GET", "papers/of/:name")]
    assert [one.name for one in extensions.policies] == ["is_owner"]
    assert extensions.policies[0].on == ("delete",)

    file = tmp_path / "src/api/paper/content-types/paper/ported_lifecycles.py"
    file.write_text("# mine\n")
    assert run(["port", str(tmp_path), "--write"]) == 0
    assert file.read_text() == "# mine\n"
    assert "exists and stays as it is" in capsys.readouterr().err


def test_a_project_without_such_code_has_nothing_to_port(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    assert run(["port", str(tmp_path)]) == 0
    assert "no JavaScript that is not understood" in capsys.readouterr().err
