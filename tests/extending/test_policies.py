"""Policies are called for each request, and can only restrict permissions."""

from pathlib import Path

import pytest

from quire.extension_loading import ExtensionError, load_extensions
from tests.databases.kind import Kind
from tests.extending.project import PAPERS, module, open_extended, schema_in, titles, write_code
from tests.extending.test_routes import grant

POLICY = """
EVERY = ["find", "find_one", "create", "update", "delete", "publish", "unpublish", "clone"]
refused = set()

@policy(PAPER, on=EVERY)
def watch(context):
    fired.append(context)
    return False if context.action in refused else None
"""


async def test_a_policy_is_asked_before_each_action_of_everybody(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, POLICY) as office:
        body = {"data": {"title": "A"}}
        made = await office.ask("POST", "/api/papers", body)
        path = f"/api/papers/{made.data['documentId']}"
        own = f"{PAPERS}/{made.data['documentId']}"
        seen = module().fired
        assert [(one.action, one.principal.kind) for one in seen] == [
            ("create", "anonymous"),
            ("publish", "anonymous"),
        ]
        assert dict(seen[0].data) == {"title": "A"}
        assert seen[0].document_id is None
        operation = {"action": "unpublish", "type": "papers", "documentId": made.data["documentId"]}
        cases: tuple[tuple[str, str, object, str | None, str], ...] = (
            ("GET", "/api/papers?sort=title", None, None, "find"),
            ("GET", path, None, None, "find_one"),
            ("PUT", f"{path}?status=draft", body, None, "update"),
            ("PUT", path, body, None, "publish"),
            ("DELETE", path, None, None, "delete"),
            ("POST", "/api/_batch", {"operations": [operation]}, None, "unpublish"),
            ("GET", PAPERS, None, office.boss, "find"),
            ("GET", own, None, office.boss, "find_one"),
            ("POST", PAPERS, {"title": "B"}, office.boss, "create"),
            ("PUT", own, {"title": "B"}, office.boss, "update"),
            ("POST", f"{own}/actions/publish", {}, office.boss, "publish"),
            ("POST", f"{PAPERS}/clone/{made.data['documentId']}", {}, office.boss, "clone"),
            ("DELETE", own, None, office.boss, "delete"),
        )
        for method, target, sent, token, action in cases:
            for _ in range(2 if method == "GET" else 0):
                assert (await office.ask(method, target, token=token)).status == 200
            module().refused.add(action)
            seen.clear()
            reply = await office.ask(method, target, sent, token=token)
            assert reply.status == 403, (method, target, reply.json)
            assert seen[-1].action == action
            assert seen[-1].principal.kind == ("admin" if token else "anonymous")
            module().refused.clear()
        assert await titles(office) == ["A"]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ("raise ValueError('a secret')", 403, "Forbidden"),
        ("raise Forbidden('Only on weekdays')", 403, "Only on weekdays"),
        ("raise TooManyRequests('Later')", 429, "Later"),
        ("return 1", 403, "Forbidden"),
        ("return ''", 403, "Forbidden"),
        ("return False", 403, "Forbidden"),
    ],
)
async def test_what_is_not_an_agreement_refuses(
    tmp_path: Path, kind: Kind, body: str, status: int, message: str
) -> None:
    code = f"""
    @policy(None, on=["find", "create"])
    def closed(context):
        {body}
    """
    async with open_extended(tmp_path, kind, code) as office:
        for method, sent in (("GET", None), ("POST", {"data": {"title": "A"}})):
            reply = await office.ask(method, "/api/papers", sent)
            assert (reply.status, reply.error) == (status, message)
            assert "secret" not in str(reply.json)


async def test_code_is_asked_as_the_caller_and_not_as_the_system(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @policy(PAPER, on=["find", "create"])
    def closed(context):
        return False

    @route.get("/papers/tries", public=True)
    async def tries() -> list:
        papers = documents(PAPER)
        found = []
        for attempt in (papers.find, papers.count, lambda: papers.create({"title": "A"})):
            try:
                await attempt()
            except Forbidden.__mro__[1] as error:
                found.append(error.status)
        with as_system("to compare"):
            await papers.create({"title": "B"})
            found.append(await papers.count(status="draft"))
        return found
    """
    async with open_extended(tmp_path, kind, code) as office:
        assert (await office.ask("GET", "/api/papers/tries")).json == [403, 403, 403, 1]


async def test_routes_have_policies_and_rates_of_their_own(tmp_path: Path, kind: Kind) -> None:
    code = """
    def weekdays(context):
        fired.append(context)
        return context.query.get("day") != "sunday"

    @route.post("/papers/order/:title", policies=[weekdays], rate="3/minute")
    async def order(title: str, day: str = "monday") -> dict:
        return {"title": title}
    """
    async with open_extended(tmp_path, kind, code) as office:
        assert (await office.ask("POST", "/api/papers/order/A", {})).status == 403
        assert module().fired == []
        await grant(office, "public", "api::paper", "paper", "order")
        ordered = await office.ask("POST", "/api/papers/order/A", {"copies": 2})
        assert (ordered.status, ordered.json) == (200, {"title": "A"})
        assert ordered.headers["x-ratelimit-remaining"] == "2"
        (seen,) = module().fired
        document = (await office.ask("GET", "/api/openapi.json")).json
        assert "429" in document["paths"]["/papers/order/{title}"]["post"]["responses"]
        assert (seen.action, dict(seen.data)) == (
            "api::paper.paper.order",
            {"copies": 2, "title": "A"},
        )
        refused = await office.ask("POST", "/api/papers/order/A?day=sunday", {})
        assert refused.status == 403
        assert (await office.ask("POST", "/api/papers/order/A", {})).status == 200
        limited = await office.ask("POST", "/api/papers/order/A", {})
        assert limited.status == 429
        assert 0 < int(limited.headers["retry-after"]) <= 60
        office.clock.pass_by(minutes=1)
        assert (await office.ask("POST", "/api/papers/order/A", {})).status == 200


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('@policy(PAPER, on=["finds"])\ndef p(context): ...', 'did you mean "find"?'),
        ('@policy(PAPER, on=["find"])\nasync def p(context): ...', "must be a plain def"),
        ('@policy(PAPER, on=["find"])\ndef p(): ...', "must take one argument, the context"),
        ('@route.get("/x", rate="30")\ndef x(): ...', 'rate must be like "30/minute"'),
        ('@route.get("/x", rate="0/minute")\ndef x(): ...', 'rate must be like "30/minute"'),
        ('@route.get("/x", policies=len)\ndef x(): ...', "policies must be a list"),
        ('@route.get("/x", policies=["a"])\ndef x(): ...', "is not a plain function"),
        (
            'def p(): ...\n@route.get("/x", policies=[p])\ndef x(): ...',
            "the policy p must take one argument, the context",
        ),
    ],
)
def test_mistakes_are_reported(tmp_path: Path, code: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"{code}\n")
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    assert message in str(caught.value)
