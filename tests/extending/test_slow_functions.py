"""Plain functions that hold up the server are named in the log."""

from pathlib import Path

import pytest

from quire.hooks.function_times import slow_calls
from tests.databases.kind import Kind
from tests.extending.project import open_extended

WARNING = "a plain function delays others"
SLEEP = "time.sleep(0.03)"
IMPORTS = "import time\n"
FUNCTIONS = {
    "slow_hook": f"""
@before_write(PAPER, on=["create"])
def slow_hook(write):
    {SLEEP}
""",
    "slow_prepare": f"""
@prepare(PAPER, on=["create"])
def slow_prepare(write):
    {SLEEP}
""",
    "slow_rule": f"""
@rule(PAPER, on=["create"])
def slow_rule(who):
    {SLEEP}
    return True
""",
    "slow_policy": f"""
@policy(PAPER, on=["create"])
def slow_policy(context):
    {SLEEP}
""",
    "slow_field": f"""
@computed(PAPER, needs=["title"])
def slow_field(paper) -> str:
    {SLEEP}
    return "slow"
""",
}


@pytest.mark.parametrize("name", FUNCTIONS)
async def test_a_plain_function_that_takes_long_is_named_once(
    tmp_path: Path, kind: Kind, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = slow_calls.count
    own_name = f"{name}_{kind.name}"  # the log names a function once in the process
    code = IMPORTS + FUNCTIONS[name].replace(name, own_name)
    async with open_extended(tmp_path, kind, code) as office:
        for title in ("A", "B"):
            made = await office.ask("POST", "/api/papers", {"data": {"title": title}})
            assert made.status == 201, made.json
    lines = [line for line in capsys.readouterr().out.splitlines() if WARNING in line]
    assert len(lines) == 1
    assert own_name in lines[0]
    assert "paper.py:" in lines[0]
    assert slow_calls.count >= before + 2
