"""Runs the writes of several documents side by side, so that a hook is called once for all of them.

Each write is a program of its own. Where hooks with ``batch=True`` are to be called, it pauses
until all others have come as far (`in_batch`); the call is then made for all of them. Between two
such calls the programs run one after the other, as they would without hooks.
"""

from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from quire.database.program import Program, Rows, Statement
from quire.document_service.unit_of_work import UnitOfWork

T = TypeVar("T")
M = TypeVar("M")

_PAUSE = "SELECT 1 /* the write waits for others */"


class _BatchCall(Struct, frozen=True, eq=False):
    """A call for several members; calls with the same key are made together."""

    key: Hashable
    members: tuple[Any, ...]
    run: Callable[[Sequence[Any]], Program[None]]


def in_batch(
    unit: UnitOfWork, key: Hashable, member: M, run: Callable[[Sequence[M]], Program[None]]
) -> Program[None]:
    """Run a program for a member, together with the members of all writes beside this one.

    ``key`` says which of them belong together. Raises what the program raises, unless other writes
    wait: then the error ends all of them.
    """
    if unit.is_interleaved:
        yield _pause(_BatchCall(key, (member,), run))
    else:
        yield from run([member])


def run_interleaved(
    unit: UnitOfWork, programs: Sequence[Program[T]], *, batched: bool
) -> Program[list[T]]:
    """Run programs that write different documents or locales; returns their results.

    They run one after the other unless ``batched``. Raises the first error of any.
    """
    if not batched or len(programs) < 2:
        results = []
        for program in programs:
            result = yield from program
            results.append(result)
        return results
    runs = [_Run(program) for program in programs]
    try:
        yield from _run_all(unit, runs)
    finally:
        for run in runs:
            run.program.close()
    for run in runs:
        unit.postpone_all(run.later)
    return [run.result for run in runs]


class _Run(Generic[T]):
    """A program that runs beside others, and the call that it waits for."""

    result: T

    def __init__(self, program: Program[T]) -> None:
        self.program: Generator[Statement, Rows, T] = program
        self.later: list[Callable[[], Program[None]]] = []
        """The steps that it has postponed."""
        self.call: _BatchCall | None = None
        self.calls = 0

    def advance(self, unit: UnitOfWork) -> Program[None]:
        """Run the program to its next call, or to its end."""
        is_begun, self.call = self.call is not None, None
        with unit.interleaved(self.later):
            try:
                statement = self.program.send([]) if is_begun else next(self.program)
                while True:
                    self.call = _call_of(statement)
                    if self.call is not None:
                        self.calls += 1
                        return
                    try:
                        rows = yield statement
                    except Exception as error:  # noqa: BLE001 - it belongs to the program
                        statement = self.program.throw(error)
                    else:
                        statement = self.program.send(rows)
            except StopIteration as stop:
                self.result = stop.value


def _run_all(unit: UnitOfWork, runs: Sequence[_Run[T]]) -> Program[None]:
    for run in runs:
        yield from run.advance(unit)
    while True:
        waiting = [(run, run.call) for run in runs if run.call is not None]
        if not waiting:
            return
        # Who has come least far goes first, so that others are met at the next call.
        _, first = min(waiting, key=lambda item: item[0].calls)
        matching = [(run, call) for run, call in waiting if call.key == first.key]
        call = replace(
            first, members=tuple(member for _, call in matching for member in call.members)
        )
        if unit.is_interleaved:
            yield _pause(call)
        else:
            yield from call.run(call.members)
        for run, _ in matching:
            yield from run.advance(unit)


def _pause(call: _BatchCall) -> Statement:
    return Statement(_PAUSE, (call,))


def _call_of(statement: Statement) -> _BatchCall | None:
    return statement.values[0] if statement.sql is _PAUSE else None
