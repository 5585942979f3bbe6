"""Analyses how code changes entries that it has read, before it responds with them.

It may set members of them, ``map`` them, spread one into another object, and read what is attached
to one. Computed values depend on one entry, the variable `ENTRY`, and on the request.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from quire.customisations.reads.expressions import ReadingFunction, without_envelope
from quire.customisations.reads.model import (
    AttachedEntries,
    ComputedEntry,
    DocumentRead,
    EntryChange,
)
from quire.customisations.statements import (
    UNKNOWN_CODE,
    NotUnderstoodError,
    is_harmless,
    statements_of,
)
from quire.customisations.value_expressions import (
    ENTRY,
    ConditionalValue,
    ObjectLiteral,
    Value,
    WithEntry,
)
from quire.javascript.syntax import (
    Array,
    Assign,
    Binary,
    Call,
    Evaluate,
    Expression,
    Function,
    If,
    Member,
    Name,
    Object,
    Property,
    Return,
    Spread,
    Statement,
)

_NOT_FOUND = "Not Found"


class ChangingFunction(ReadingFunction):
    """Analyses a function that reads entries, changes them and responds with them.

    Methods raise NotUnderstoodError for code that is not supported.
    """

    not_found_message: str | None = None
    """The message for a missing entry."""

    def maybe_read(self, value: Expression) -> DocumentRead | None:
        """Return the read or changed entries of an expression, ``None`` for others."""
        match value:
            case Call(Member(inner, "map"), (Function((Name(name),)) as function,)):
                read = self.maybe_read(inner)
                if read is None:
                    return None
                if not read.is_list or function.is_async:
                    raise NotUnderstoodError(UNKNOWN_CODE)
                computed_value = self.values.with_entry(name).returned(statements_of(function))
                return self._add_change(read, ComputedEntry(computed_value))
            case Call(Member(inner, "reduce"), (function, Object(()))):
                read = self.maybe_read(inner)
                return None if read is None else self._read_as_object(read, _reduced_pair(function))
            case Call(
                Member(Name("Object"), "fromEntries"), (Call(Member(inner, "map"), (pair,)),)
            ):
                read = self.maybe_read(inner)
                return None if read is None else self._read_as_object(read, pair)
            case Object((Spread(Name(name)), *members)) if name in self.reads:
                return self._analyse_spread(name, members)
            case _:
                return super().maybe_read(value)

    def change(self, statement: Statement) -> bool:
        """Analyse a statement that changes the entries; tell whether it is one."""
        match statement:
            case Evaluate(Call(Member(Name(name), "forEach"), (function,))) if name in self.reads:
                self._analyse_for_each(name, function)
                return True
            case Evaluate(Assign("=", Member(Name(name), str()), _)) if name in self.reads:
                self._analyse_assignment(name, statement)
                return True
            case If() if (variable := _assigned_variable(statement)) in self.reads:
                self._analyse_assignment(variable, statement)
                return True
            case _:
                return False

    def _analyse_for_each(self, name: str, function: Expression) -> None:
        read = self._exclusive_value(name)
        match function:
            case Function((Name(entry),), tuple() as body) if read.is_list:
                statements: Sequence[Statement] = body
            case Function((Name(entry),), Assign() as assignment) if read.is_list:
                statements = (Evaluate(assignment),)
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)
        self.reads[name] = self._add_change(
            read, ComputedEntry(self._apply_assignments(entry, statements))
        )

    def _analyse_assignment(self, name: str, statement: Statement) -> None:
        """Analyse a statement that sets members of one entry."""
        read = self._exclusive_value(name)
        if read.is_list:
            raise NotUnderstoodError(UNKNOWN_CODE)
        if not _tests_entry_first(statement, name):
            # Without ``if (entry)``, setting a member of a missing entry throws: Strapi responds
            # with an error there, Quire with 404.
            self.not_found_message = self.not_found_message or _NOT_FOUND
        attached_entries = self._attached_read(name, statement)
        entry_change = attached_entries or ComputedEntry(
            self._apply_assignments(name, (statement,))
        )
        self.reads[name] = self._add_change(read, entry_change)

    def _exclusive_value(self, name: str) -> DocumentRead:
        """Return the value of a variable; no other variable may have the same."""
        if len(self.reads) > 1:
            raise NotUnderstoodError("changes what other variables may hold")
        return self.reads[name]

    def _add_change(self, read: DocumentRead, change: EntryChange) -> DocumentRead:
        return replace(without_envelope(read), changes=(*read.changes, change))

    def _read_as_object(self, read: DocumentRead, function: Expression) -> DocumentRead:
        """Return a read whose response is one object, with a member for each entry.

        ``function`` maps an entry to ``[name, value]``.
        """
        match function:
            case Function((Name(entry),), Array((key, value)), False) if read.is_list:
                values = self.values.with_entry(entry)
                pair = (("name", values.value(key)), ("value", values.value(value)))
                return replace(
                    self._add_change(read, ComputedEntry(ObjectLiteral(pair))), keyed=True
                )
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)

    def _analyse_spread(self, name: str, members: Sequence[Property | Spread]) -> DocumentRead:
        """Return ``{ ...entry, member: value }``; a member may depend on the same entry."""
        read = self.reads[name]
        if read.is_list:
            raise NotUnderstoodError(UNKNOWN_CODE)
        self.not_found_message = self.not_found_message or _NOT_FOUND
        computed_members: list[Property | Spread] = [Spread(Name(name))]
        attached_entries: list[EntryChange] = []
        for member in members:
            match member:
                case Property(str() as key, Member(Name(other), str() as part)) if (
                    other in self.reads and other != name
                ):
                    attached_entries.append(
                        AttachedEntries(key, self._unmodified_read(other), part)
                    )
                case _:
                    computed_members.append(member)
        if len(computed_members) > 1:
            computed_value = self.values.with_entry(name).value(Object(tuple(computed_members)))
            read = self._add_change(read, ComputedEntry(computed_value))
        return replace(without_envelope(read), changes=(*read.changes, *attached_entries))

    def _unmodified_read(self, name: str) -> DocumentRead:
        read = self.reads[name]
        if read.is_list or read.sanitized or read.changes or read.is_core:
            raise NotUnderstoodError(UNKNOWN_CODE)
        return read

    def _attached_read(self, name: str, statement: Statement) -> AttachedEntries | None:
        """Return the read of ``entry.key = await …``, also after ``if (entry)``."""
        match statement:
            case If(Name(tested), (inner,), ()) if tested == name:
                return self._attached_read(name, inner)
            case Evaluate(Assign("=", Member(Name(), str() as key), value)):
                read = self.read_for_variable(name, value)
                if read is None:
                    return None
                if (
                    read.sanitized
                    or read.is_core
                    or read.not_found_message
                    or read.enveloped
                    or read.wrapped
                ):
                    raise NotUnderstoodError("attaches something else than entries")
                return AttachedEntries(key, read)
            case _:
                return None

    def _apply_assignments(self, name: str, statements: Sequence[Statement]) -> Value:
        """Return an entry after statements that set members of it."""
        result: Value = ENTRY
        for statement in statements:
            if not is_harmless(statement):
                change = self._assigned_value(name, statement)
                result = change if result is ENTRY else WithEntry(result, change)
        return result

    def _assigned_value(self, name: str, statement: Statement) -> Value:
        values = self.values.with_entry(name)
        match statement:
            case Evaluate(Assign("=", Member(Name(of), str() as key), value)) if of == name:
                return ObjectLiteral(((None, ENTRY), (key, values.value(value))))
            case If(test, then, otherwise):
                return ConditionalValue(
                    values.value(test),
                    self._apply_assignments(name, then),
                    self._apply_assignments(name, otherwise),
                )
            case _:
                raise NotUnderstoodError(UNKNOWN_CODE)


def _reduced_pair(function: Expression) -> Expression:
    """Convert ``(object, entry) => { object[name] = value; return object }`` to its pair.

    The result is ``(entry) => [name, value]``; other functions are returned unchanged.
    """
    match function:
        case Function(
            (Name(made), entry),
            (Evaluate(Assign("=", Member(Name(changed), key), value)), Return(Name(returned))),
            False,
        ) if made == changed == returned and not isinstance(key, str):
            return Function((entry,), Array((key, value)))
        case _:
            return function


def _assigned_variable(statement: Statement) -> str:
    """Return the variable of which an ``if`` sets members first, empty if it does not."""
    while isinstance(statement, If) and statement.then:
        statement = statement.then[0]
    match statement:
        case Evaluate(Assign("=", Member(Name(name), str()), _)):
            return name
        case _:
            return ""


def _tests_entry_first(statement: Statement, name: str) -> bool:
    """Whether a statement is ``if (entry) …`` or ``if (entry && …) …``."""
    test = statement.test if isinstance(statement, If) else None
    while isinstance(test, Binary) and test.operator == "&&":
        test = test.left
    return test == Name(name)
