"""Interleaves the writes of several documents, so that a hook is called once for all of them.

Each write is a program of its own. At a call of a hook with ``batch=True`` it pauses until all
other programs have reached the same call (`in_batch`), which is then made once. Between two such
calls the programs run one after the other, as they would without hooks.
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
    """Run ``run`` once for the members of all interleaved writes that call this with one ``key``.

    Without interleaving it runs for this member alone. Its errors are raised here; an error in a
    call for several writes ends all of them.
    """
    if unit.is_interleaved:
        yield _pause_for(_BatchCall(key, (member,), run))
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
        yield from _advance_all(unit, runs)
    finally:
        for run in runs:
            run.program.close()
    for run in runs:
        unit.postpone_all(run.later)
    return [run.result for run in runs]


class _Run(Generic[T]):
    """An interleaved program, and the call at which it is paused."""

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
                    self.call = _batch_call_of(statement)
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


def _advance_all(unit: UnitOfWork, runs: Sequence[_Run[T]]) -> Program[None]:
    for run in runs:
        yield from run.advance(unit)
    while True:
        waiting = [(run, run.call) for run in runs if run.call is not None]
        if not waiting:
            return
        # The program with the fewest calls goes first: it may reach the call at which the others
        # are waiting.
        _, next_call = min(waiting, key=lambda item: item[0].calls)
        matching = [(run, call) for run, call in waiting if call.key == next_call.key]
        call = replace(
            next_call, members=tuple(member for _, call in matching for member in call.members)
        )
        if unit.is_interleaved:
            yield _pause_for(call)
        else:
            yield from call.run(call.members)
        for run, _ in matching:
            yield from run.advance(unit)


def _pause_for(call: _BatchCall) -> Statement:
    return Statement(_PAUSE, (call,))


def _batch_call_of(statement: Statement) -> _BatchCall | None:
    return statement.values[0] if statement.sql is _PAUSE else None
