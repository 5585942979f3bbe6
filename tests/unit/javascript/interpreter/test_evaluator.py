"""Evaluation of functions of a project's code."""

from quire.javascript.interpreter.evaluator import Machine
from quire.javascript.interpreter.scopes import Frame
from quire.javascript.scope import UNDEFINED, Module

LOOP = """
module.exports = () => {
  let sum = 0;
  for (let number = 0; number < 5000; number++) { sum += number; }
  return sum;
};
"""


async def test_code_that_takes_long_lets_others_take_turns() -> None:
    pauses = 0

    async def pause() -> None:
        nonlocal pauses
        pauses += 1

    machine = Machine({}, pause)
    module = Module(LOOP)
    assert module.exported is not None
    function = await machine.evaluate(
        module.exported, machine.scope_of(module), Frame(UNDEFINED, UNDEFINED)
    )

    assert await machine.call(function, [], UNDEFINED) == sum(range(5000))
    assert pauses >= 2
