"""Changes of the argument of a hook: which of them restrict what is read or written."""

from collections.abc import Iterator, Sequence

from quire.customisations.hook_values import (
    ANY,
    DATA,
    NOT_UNDERSTOOD,
    HookValueAnalysis,
    ValuePath,
)
from quire.javascript.scope import (
    walk,
)
from quire.javascript.syntax import (
    Array,
    Binary,
    Call,
    Conditional,
    Expression,
    Literal,
    Member,
    Name,
    Object,
    OptionalCall,
    Property,
    Spread,
    Unary,
)
from quire.schema.model import AUTOMATIC_NAMES

_PARAMETERS = frozenset(
    {
        *("filters", "where", "fields", "select", "status", "locale", "lookup", "documentId"),
        *("start", "limit", "offset", "page", "pageSize", "pagination", "_q", "data", "populate"),
        *("hasPublishedVersion", "publicationFilter"),
    }
)
"""Parameters of actions that may restrict them."""
_RESTRICTING = frozenset({"filters", "where", "fields", "select", "status", "limit", "on"})
"""Options of ``populate`` that may restrict what is populated."""
_NOTHING = (Object(()), Array(()), Literal(None), Literal(value=False), Literal(""))
"""Values by which nothing is populated."""
_LISTS_OF_RESULTS = frozenset({"results", "entries", "data", "length"})
_EMPTY = (Literal(None), Literal(""), Name("undefined"), Literal("undefined"))
"""What a missing value, or its type, is equal to."""
_EMPTINESS_TESTS = frozenset({"isEmpty", "isNil", "isNull", "isUndefined", "isNaN"})
_CALLER = frozenset({"requestContext", "user", "auth"})
"""Members that say who the caller is."""


class HookChangeAnalysis(HookValueAnalysis):
    """The checks of changes of the hook's argument."""

    def _change_path(self, path: ValuePath, value: Expression | None, operator: str = "=") -> None:
        match path:
            case ("result", *keys):
                self._change_result(keys)
            case ("params",):
                self._change_members(path, value)
            case ("params", "data", *keys):
                if not self._call.is_read and not self._call.is_late:
                    self._change_data(keys, value, operator)
            case ("params", "populate", *_) if value is not None and not _restricts(value):
                return
            case ("params", name, *_) if name in _PARAMETERS or name == ANY:
                if not self._call.is_late:
                    raise self.guard(f"changes params.{name}")
            case () | (("uid" | "action" | "*"), *_):
                raise self.guard(NOT_UNDERSTOOD)
            case _:
                return

    def _change_members(self, path: ValuePath, value: Expression | None) -> None:
        """Check that an object with what was there before takes the place of another one."""
        if not isinstance(value, Object):
            raise self.guard(f"replaces {'.'.join(path)}")
        keeps_others = False
        for member in value.members:
            match member:
                case Spread(inner) if self._path(inner) == path:
                    keeps_others = True
                case Property(str() as key, inner):
                    is_same = self._path(inner) == (*path, key)
                    if not is_same:
                        self._change_path((*path, key), inner)
                case _:
                    raise self.guard(f"replaces {'.'.join(path)}")
        if not keeps_others:
            raise self.guard(f"replaces {'.'.join(path)}")

    def _change_result(self, keys: Sequence[str]) -> None:
        names = [key for key in keys if key != ANY]
        restricted_names = self._call.attributes | AUTOMATIC_NAMES | _LISTS_OF_RESULTS
        if not names or not restricted_names.isdisjoint(names):
            raise self.guard(f"changes {'.'.join(('result', *keys))}")

    def _change_data(self, keys: Sequence[str], value: Expression | None, operator: str) -> None:
        """Check a change of the data: what is computed from others may be left out."""
        if not keys:
            self._change_members(DATA, value)
            return
        name = keys[0]
        known_names = {*self._content_type.attributes, *AUTOMATIC_NAMES, ANY}
        if name not in known_names or operator in {"??=", "||="}:
            return
        if value is None:
            raise self.guard(f"removes {'.'.join(('data', *keys))}")
        path = (*DATA, name)
        if not self._may_set(path, value, self._tests):
            raise self.guard(f"sets {'.'.join(('data', *keys))}")

    def _may_set(self, path: ValuePath, value: Expression, tests: Sequence[Expression]) -> bool:
        """Whether a value is computed, or a default for one that is missing."""
        match value:
            case Unary("()", inner):
                return self._may_set(path, inner, tests)
            case Conditional(test, then, otherwise) if self._mentions(test, path):
                return self._may_set(path, then, (*tests, test)) and self._may_set(
                    path, otherwise, (*tests, Unary("!", test))
                )
            case _:
                is_default = any(self._is_missing(test, path) for test in tests)
                return is_default or self._is_computed(value)

    def _mentions(self, value: object, path: ValuePath) -> bool:
        """Whether an expression depends on a member of the hook's argument."""
        paths = map(self._path, walk(value))
        return any(other is not None and other[: len(path)] == path for other in paths)

    def _is_missing(self, test: Expression, path: ValuePath, *, negated: bool = False) -> bool:
        """Whether a member of the hook's argument has no value if a test is true, or not."""
        match test:
            case Unary("()", inner):
                return self._is_missing(inner, path, negated=negated)
            case Unary("!", inner):
                return self._is_missing(inner, path, negated=not negated)
            case Binary("&&" | "||" as operator, left, right):
                both = (self._is_missing(part, path, negated=negated) for part in (left, right))
                return all(both) if negated == (operator == "&&") else any(both)
            case Binary("===" | "==" | "!==" | "!=" as operator, left, right):
                is_of_length = isinstance(left, Member) and left.key == "length"
                is_empty = left in _EMPTY or right in _EMPTY
                is_empty |= is_of_length and right == Literal(0)
                is_equal = negated == operator.startswith("!")
                return is_empty and is_equal and self._mentions(test, path)
            case Binary("in", Literal(str() as key), owner):
                owner_path = self._path(owner)
                return negated and owner_path is not None and (*owner_path, key) == path
            case Call(Member(_, name) | Name(name), (inner, *_)) if name in _EMPTINESS_TESTS:
                return not negated and self._mentions(inner, path)
            case Call(Member(Name("Array"), "isArray"), (inner, *_)):
                return negated and self._mentions(inner, path)
            case Name() | Member() | Call(Member(_, "trim"), ()):
                return negated and self._mentions(test, path)
            case _:
                return False

    def _is_computed(self, value: Expression) -> bool:
        """Whether a value is computed, and not from the caller."""
        parts = list(self._parts(value))
        if any(isinstance(part, Member) and part.key in _CALLER for part in parts):
            return False
        return any(
            isinstance(part, Call | OptionalCall)
            or (isinstance(part, Member | Name) and self._path(part) is not None)
            for part in parts
        )

    def _parts(self, value: object) -> Iterator[object]:
        """Yield the parts of an expression, and of those that its variables stand for."""
        pending, seen = [value], set[str]()
        while pending:
            for part in walk(pending.pop()):
                yield part
                if isinstance(part, Name) and part.text not in seen:
                    seen.add(part.text)
                    pending += self._values.get(part.text, ())


def _restricts(value: object) -> bool:
    """Whether a value of ``populate`` may restrict what is populated."""
    if value in _NOTHING:
        return True
    return any(isinstance(part, Property) and part.key in _RESTRICTING for part in walk(value))
