"""Unsupported JavaScript: listed, converted to skeletons, and replaced by Python code."""

import asyncio
from pathlib import Path

import pytest

from quire.cli import run
from quire.extension_loading import ExtensionError, load_extensions
from tests.databases.kind import Kind
from tests.extending.project import schema_in, write_code
from tests.unit.admin_api.office import office_project, run_office
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
    assert not extensions.writes
    assert not extensions.schedules
    assert [(one.method, one.path) for one in extensions.routes] == [("GET", "papers/of/:name")]
    assert [one.name for one in extensions.policies] == ["is_owner"]
    assert extensions.policies[0].on == ("delete",)

    file = tmp_path / "src/api/paper/content-types/paper/ported_lifecycles.py"
    file.write_text("# mine\n")
    assert run(["port", str(tmp_path), "--write"]) == 0
    assert file.read_text() == "# mine\n"
    assert "exists and stays as it is" in capsys.readouterr().err


async def test_skeletons_break_no_writes_and_leave_files_to_port(
    tmp_path: Path, kind: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    file = "src/api/paper/content-types/paper/lifecycles.js"
    async with office_project(tmp_path, kind) as project:
        write_tree(project, {file: JAVASCRIPT[file]})
        assert await asyncio.to_thread(run, ["port", str(project), "--write"]) == 0
        async with run_office(project) as office:
            response = await office.send("POST", "/api/papers", {"data": {"title": "Kept"}})
            assert response.status == 201
        await asyncio.to_thread(run, ["check", str(project)])
    assert file in capsys.readouterr().out

    skeleton = project / "src/api/paper/content-types/paper/ported_lifecycles.py"
    skeleton.write_text(skeleton.read_text().replace("# @", "@"))
    hooks = load_extensions(project, schema_in(project)).writes["api::paper.paper", "create"]
    assert [hook.name for hook in (*hooks.before, *hooks.after)] == ["before", "after"]


def test_a_document_middleware_has_one_skeleton_for_what_it_guards(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    guard = (
        "strapi.documents.use((context, next) => {\n"
        "  if (context.uid !== 'api::paper.paper') return next();\n"
        "  if (context.action === 'delete') throw new Error('No');\n"
        "  if (context.action === 'findMany') context.params.filters = {};\n"
        "  return next();\n});"
    )
    code = f"module.exports = {{ register({{ strapi }}) {{ {guard} }} }};"
    write_tree(tmp_path, {"src/index.js": code})
    assert run(["port", str(tmp_path), "--write"]) == 0
    skeleton = tmp_path / "src/ported_index.py"
    text = skeleton.read_text()
    assert 'say replaces="src/index.js" when it is done' in text
    assert not load_extensions(tmp_path, schema).around
    skeleton.write_text(text.replace("# @", "@"))
    calls = load_extensions(tmp_path, schema).around
    assert {(uid, action) for uid, action in calls} == {
        ("api::paper.paper", "delete"),
        ("api::paper.paper", "find"),
    }


def test_a_project_without_such_code_has_nothing_to_port(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    assert run(["port", str(tmp_path)]) == 0
    assert "no JavaScript that is not understood" in capsys.readouterr().err


POLICY = "src/api/paper/policies/is-owner.js"


def rule_on_delete(replaces: str) -> str:
    return f"""
@rule(PAPER, on=["delete"]{replaces})
def cheap_papers(who):
    return {{"price": {{"$lte": 10}}}}
"""


async def test_a_route_stays_closed_until_code_replaces_what_guards_it(
    tmp_path: Path, kind: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    guarded = {name: JAVASCRIPT[name] for name in (POLICY, "src/api/paper/routes/paper.js")}
    async with office_project(tmp_path, kind) as project:
        write_tree(project, guarded)
        for replaces, found in (
            ("", (403, 403)),
            (f', replaces="{POLICY.replace("owner", "onwer")}"', (403, 403)),
            (f', replaces=["{POLICY}"]', (204, 403)),
        ):
            write_code(project, rule_on_delete(replaces))
            async with run_office(project) as office:
                replies = []
                for title, price in (("Cheap", 5), ("Dear", 50)):
                    data = {"title": title, "price": price}
                    made = await office.ask("POST", "/api/papers", {"data": data})
                    path = f"/api/papers/{made.data['documentId']}"
                    replies.append((await office.send("DELETE", path)).status)
                assert tuple(replies) == found, replaces
            capsys.readouterr()
            await asyncio.to_thread(run, ["check", str(project)])
            printed = capsys.readouterr().out
            is_replaced = f"{POLICY}: is replaced by src/api/paper/paper.py:" in printed
            assert is_replaced == (found == (204, 403))
            assert (f'did you mean "{POLICY}"?' in printed) == ("onwer" in replaces)


def test_what_is_replaced_is_a_path_or_a_list_of_paths(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, rule_on_delete(", replaces=3"))
    with pytest.raises(ExtensionError, match="replaces must be paths"):
        load_extensions(tmp_path, schema)


def test_a_replaced_file_is_not_to_be_ported_any_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    write_tree(tmp_path, JAVASCRIPT)
    write_code(tmp_path, rule_on_delete(f', replaces="./{POLICY}"'))
    assert run(["port", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert POLICY not in printed
    assert "lifecycles.js" in printed
