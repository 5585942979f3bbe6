"""``quire check`` reports all problems together, and changes nothing."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from quire.database.stores.slow_lists import KEY
from tests.unit.cli.conftest import Run, everything_in


def change_database(project: Path, *statements: str) -> None:
    with closing(sqlite3.connect(project / ".tmp/data.db")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_a_sound_project_has_no_problems(run: Run, project: Path) -> None:
    code, output, _ = run("check", project)

    assert code == 0
    assert "problem  " not in output
    assert output.endswith("no problems, 1 warning.\n")


def test_nothing_is_changed(run: Run, project: Path) -> None:
    before = everything_in(project)

    run("check", project)

    assert everything_in(project) == before


def test_errors_of_settings_and_schema_are_reported_together(run: Run, project: Path) -> None:
    (project / "quire.toml").write_text("[api]\nmax_limt = 1\n", encoding="utf-8")
    file = project / "src/api/tag/content-types/tag/schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    schema["attributes"]["label"]["type"] = "strng"
    file.write_text(json.dumps(schema), encoding="utf-8")

    code, output, _ = run("check", project)

    assert code == 1
    assert "problem  quire.toml: api.max_limt: no such setting" in output
    assert "problem  src/api/tag/content-types/tag/schema.json: attributes.label" in output


def test_missing_secrets_are_a_problem(run: Run, project: Path) -> None:
    (project / ".env").unlink()

    code, output, _ = run("check", project)

    assert code == 1
    assert "API_TOKEN_SALT" in output


def test_secrets_that_are_not_needed_yet_are_a_warning(run: Run, project: Path) -> None:
    (project / ".env").write_text("JWT_SECRET=a\nAPI_TOKEN_SALT=b\n", encoding="utf-8")

    code, output, _ = run("check", project)

    assert code == 0
    assert "warning  APP_KEYS, ADMIN_JWT_SECRET, TRANSFER_TOKEN_SALT, ENCRYPTION_KEY" in output


def test_a_closed_type_is_a_problem_until_its_file_is_listed(run: Run, project: Path) -> None:
    file = project / "src/api/tag/controllers/tag.js"
    file.parent.mkdir()
    file.write_text("module.exports = { find() { return 1; } };", encoding="utf-8")

    code, output, _ = run("check", project)

    assert code == 1
    assert "src/api/tag/controllers/tag.js: has code of its own in place of the core" in output
    way_out = "closed until Python code replaces the file, or it is listed under [migration] ignore"
    assert f"{way_out}: api::tag.tag" in output

    listed = '[migration]\nignore = ["src/api/tag/controllers/tag.js", "src/nothing.js"]\n'
    (project / "quire.toml").write_text(listed, encoding="utf-8")
    code, output, _ = run("check", project)

    assert code == 0
    assert "nothing to ignore at src/nothing.js" in output


def test_a_missing_database_is_a_problem(run: Run, project: Path) -> None:
    (project / ".tmp/data.db").unlink()

    code, output, _ = run("check", project)

    assert code == 1
    assert ".tmp/data.db" in output


def test_a_file_that_is_no_database_is_a_problem(run: Run, project: Path) -> None:
    (project / ".tmp/data.db").write_text("not a database, but long enough", encoding="utf-8")

    code, output, _ = run("check", project)

    assert code == 1
    assert "is not a SQLite database" in output


def test_what_the_database_lacks_is_reported(run: Run, project: Path) -> None:
    change_database(project, "DROP TABLE tags", "ALTER TABLE articles DROP COLUMN views")

    code, output, _ = run("check", project)

    assert code == 1
    assert "problem  In the database, the table tags is missing." in output
    assert "problem  In the database, the table articles lacks the column views." in output
    assert "`quire migrate --apply` and `quire dev` add them." in output


def test_missing_tables_are_reported_together(run: Run, project: Path) -> None:
    change_database(project, "DROP TABLE tags", "DROP TABLE articles_tags_lnk")

    _, output, _ = run("check", project)

    assert "In the database, these tables are missing: articles_tags_lnk, tags." in output


def test_a_database_of_a_newer_layout_is_left_alone(run: Run, project: Path) -> None:
    change_database(
        project,
        "INSERT INTO strapi_migrations_internal (name) VALUES ('9.0.0-turn-everything-round')",
    )

    code, output, _ = run("check", project)

    assert code == 1
    assert "9.0.0-turn-everything-round" in output


def test_missing_indexes_are_counted_listed_and_made(run: Run, project: Path) -> None:
    _, output, _ = run("check", project)
    assert "indexes that make reads fast" in output

    code, statements, messages = run("index", project)
    lines = statements.splitlines()
    made = [line for line in lines if line.startswith("CREATE INDEX")]
    gains = [line for line in lines if line.startswith("-- ")]
    assert code == 0
    assert len(made) == len(gains) == len(lines) / 2 > 0
    assert all(" rows: " in gain for gain in gains)
    assert f"{len(made)} indexes are missing" in messages
    assert "MB" in messages

    code, _, messages = run("index", project, "--apply")
    assert code == 0
    assert f"{len(made)} indexes were made." in messages

    _, statements, messages = run("index", project)
    assert (statements, messages) == ("", "The database has all indexes.\n")
    assert run("check", project).output == "no problems, no warnings.\n"


def test_indexes_are_advised_for_lists_that_were_slow(run: Run, project: Path) -> None:
    run("index", project, "--apply")
    slow = {"uid": "api::article.article", "status": "published", "sort": [["title", True]]}
    stored = [{"list": slow, "times": 3, "last": 1_700_000_000_000}]
    change_database(
        project,
        "INSERT INTO strapi_core_store_settings (key, type, value)"
        f" VALUES ('{KEY}', 'object', '{json.dumps(stored)}')",
    )

    _, statements, messages = run("index", project)
    reason, made = statements.splitlines()
    asked = "-- api::article.article, published: sort=title:desc was slow at least 3 times"
    assert reason == f"{asked}, last on 2023-11-14"
    assert made.startswith("CREATE INDEX `quire_articles_locale_title_desc_list` on `articles` ")
    assert "1 more would help lists that were slow" in messages

    assert "--apply --advised" in run("index", project, "--apply").messages
    assert "1 indexes were made." in run("index", project, "--apply", "--advised").messages
    assert run("index", project).messages == "The database has all indexes.\n"


def test_outdated_statistics_are_reported_and_renewed(run: Run, project: Path) -> None:
    run("index", project, "--apply")
    few = ("DELETE FROM tags", "INSERT INTO tags (label) VALUES ('a')", "ANALYZE tags")
    change_database(project, *few)
    many = "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1500)"
    change_database(project, f"{many} INSERT INTO tags (label) SELECT n FROM t")

    assert "the statistics of tags are from a time" in run("index", project).messages
    run("index", project, "--apply")
    assert run("index", project).messages == "The database has all indexes.\n"


def test_the_report_is_in_groups_and_says_how_much_is_served(run: Run, project: Path) -> None:
    write_code(project)

    code, output, _ = run("check", project)

    assert code == 1
    closed = output.index("Closed (1):")
    assert output.index("Served (1):") < closed < output.index("Not served (1):")
    assert "served   api::tag.tag: GET /tags is served with a query that its code" in output
    assert "problem  src/api/tag/controllers/tag.js: has an action create that" in output
    assert "warning  src/api/tag/routes/more.js: GET /tags/a/b (tag.own) is not served" in output
    types = len(list(project.glob("src/api/*/content-types/*/schema.json")))
    assert f"{types - 1} of {types} content types are served completely." in output


def test_the_report_can_be_printed_as_json(run: Run, project: Path) -> None:
    write_code(project)

    code, output, _ = run("check", project, "--json")
    report = json.loads(output)

    assert code == 1
    assert {"total", "completely"} == set(report["types"])
    (tag,) = [one for one in report["contentTypes"] if one["uid"] == "api::tag.tag"]
    assert tag == {
        "uid": "api::tag.tag",
        "served": "partly",
        "closedActions": ["create"],
        "files": ["src/api/tag/controllers/tag.js"],
        "unservedRoutes": ["GET /tags/a/b"],
        "unservedAttributes": [],
    }
    assert len(report["closed"]) == 1
    assert report["ignored"] == []


def test_json_is_refused_for_repairs(run: Run, project: Path) -> None:
    code, _, messages = run("check", project, "--repair", "--json")

    assert code != 0
    assert "--json is for reports" in messages


def write_code(project: Path) -> None:
    """Give tags a middleware that is served, an action that is not, and a route of their own."""
    factories = "require('@strapi/strapi').factories"
    files = {
        "routes/tag.js": f"module.exports = {factories}.createCoreRouter('api::tag.tag', "
        "{ config: { find: { middlewares: ['sorted'] } } });",
        "routes/more.js": "module.exports = { routes: [{ method: 'GET', path: '/tags/a/b', "
        "handler: 'tag.own' }] };",
        "middlewares/sorted.js": "module.exports = () => (ctx, next) => "
        "{ ctx.query.sort = 'label'; return next(); };",
        "controllers/tag.js": f"module.exports = {factories}.createCoreController('api::tag.tag', "
        "() => ({ async create(ctx) { return mine(ctx); } }));",
    }
    for name, code in files.items():
        file = project / "src/api/tag" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(code, encoding="utf-8")


def test_an_unknown_option_of_several_attributes_has_one_line(run: Run, project: Path) -> None:
    for name in ("tag", "article"):
        file = project / f"src/api/{name}/content-types/{name}/schema.json"
        schema = json.loads(file.read_text(encoding="utf-8"))
        for attribute in schema["attributes"].values():
            attribute["hintt"] = "x"
        file.write_text(json.dumps(schema), encoding="utf-8")

    _, output, _ = run("check", project)

    (line,) = [line for line in output.splitlines() if ".hintt: is no option of" in line]
    assert line.endswith("other attributes)")
