"""Evaluation of JavaScript in tests."""

from quire.javascript.interpreter.builtins import library
from quire.javascript.interpreter.evaluator import Machine
from quire.javascript.interpreter.scopes import Frame
from quire.javascript.scope import UNDEFINED, Module


async def evaluate_body(code: str) -> object:
    """Return the result of the body of a function, whose module has the constant ``SHARED``."""
    names: dict[str, object] = {}
    machine = Machine(names)
    names |= library(machine, lambda: 0)
    module = Module(f"const SHARED = {{}}; module.exports = () => {{ {code} }};")
    assert module.exported is not None
    frame = Frame(UNDEFINED, UNDEFINED)
    function = await machine.evaluate(module.exported, machine.scope_of(module), frame)
    return await machine.call(function, [], UNDEFINED)
