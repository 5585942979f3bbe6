"""The syntax tree of JavaScript and TypeScript, without types.

`Opaque` stands for code that the parser skipped: only the names in it are known. Its subclasses are
parsed for the evaluation of functions, and count as opaque otherwise.
"""

from msgspec import Struct


class Literal(Struct, frozen=True):
    """A string, a number, ``true``, ``false`` or ``null``."""

    value: str | float | bool | None


class Template(Struct, frozen=True):
    """A template literal: texts and expressions in turn."""

    parts: tuple["str | Expression", ...]


class Name(Struct, frozen=True):
    """A reference to a variable."""

    text: str


class Member(Struct, frozen=True):
    """``object.key``, ``object?.key`` or ``object[key]``; the key is an expression if computed."""

    object: "Expression"
    key: "str | Expression"
    is_optional: bool = False
    """Whether it is written with ``?.``, so that the object may be missing."""


class Call(Struct, frozen=True):
    """A call; ``is_new`` for ``new``."""

    callee: "Expression"
    arguments: tuple["Expression", ...]
    is_new: bool = False


class Spread(Struct, frozen=True):
    """``...value`` in an object, an array or arguments."""

    value: "Expression"


class Property(Struct, frozen=True):
    """A member of an object; the key is an expression if computed."""

    key: "str | Expression"
    value: "Expression"


class Object(Struct, frozen=True):
    """An object literal."""

    members: tuple[Property | Spread, ...]


class Array(Struct, frozen=True):
    """An array literal."""

    items: tuple["Expression", ...]


class Unary(Struct, frozen=True):
    """A prefix operator, including ``await`` and ``typeof``."""

    operator: str
    operand: "Expression"


class Binary(Struct, frozen=True):
    """An operator between two operands."""

    operator: str
    left: "Expression"
    right: "Expression"


class Conditional(Struct, frozen=True):
    """``test ? then : otherwise``."""

    test: "Expression"
    then: "Expression"
    otherwise: "Expression"


class Assign(Struct, frozen=True):
    """``target = value``, or one of the operators that assign."""

    operator: str
    target: "Expression"
    value: "Expression"


class ObjectPattern(Struct, frozen=True):
    """``{ a, b: c }`` where names are bound: member names with the names they are bound to."""

    names: tuple[tuple[str, str], ...]


class ArrayPattern(Struct, frozen=True):
    """``[a, b]`` where names are bound, an empty name where one is left out."""

    names: tuple[str, ...]


class Function(Struct, frozen=True):
    """A function; ``body`` is the expression that an arrow function returns, or its statements."""

    parameters: tuple["Pattern", ...]
    body: "Expression | tuple[Statement, ...]"
    is_async: bool = False
    is_arrow: bool = False


class Opaque(Struct, frozen=True):
    """Skipped code, with the names that occur in it."""

    names: frozenset[str] = frozenset()


class Regex(Opaque, frozen=True, kw_only=True):
    """A regular expression literal."""

    pattern: str
    flags: str


class Getter(Opaque, frozen=True, kw_only=True):
    """``get key() { … }``, a member that is computed when it is read."""

    function: Function


class OptionalCall(Opaque, frozen=True, kw_only=True):
    """``callee?.(arguments)``."""

    callee: "Expression"
    arguments: tuple["Expression", ...]


class Update(Opaque, frozen=True, kw_only=True):
    """``target++`` or ``target--``."""

    operator: str
    target: "Expression"


class Destructuring(Opaque, frozen=True, kw_only=True):
    """A pattern with defaults, nested patterns, or a rest.

    ``members`` are keys with their targets; those of an array are its indexes.
    """

    members: tuple[tuple[str, "Pattern"], ...]
    rest: "Pattern | None" = None


class WithDefault(Opaque, frozen=True, kw_only=True):
    """``target = default`` in a pattern or among parameters."""

    target: "Pattern"
    default: "Expression"


class RestParameter(Opaque, frozen=True, kw_only=True):
    """``...target``, the last parameter."""

    target: "Pattern"


class ForOf(Opaque, frozen=True, kw_only=True):
    """``for (const target of items) …``; ``of_keys`` for ``in``."""

    target: "Pattern"
    items: "Expression"
    body: tuple["Statement", ...]
    of_keys: bool = False


class Loop(Opaque, frozen=True, kw_only=True):
    """``for (start; test; step) …``, ``while (test) …``."""

    start: tuple["Statement", ...]
    test: "Expression | None"
    step: "Expression | None"
    body: tuple["Statement", ...]


class Switch(Opaque, frozen=True, kw_only=True):
    """``switch (value) …``: the values of its cases, ``None`` for the default, with statements."""

    value: "Expression"
    cases: tuple[tuple["Expression | None", tuple["Statement", ...]], ...]


class Jump(Opaque, frozen=True, kw_only=True):
    """``break`` or ``continue``."""

    word: str


class Declaration(Struct, frozen=True):
    """One variable of ``const``, ``let`` or ``var``, or a function declaration."""

    target: "Pattern"
    value: "Expression"


class Evaluate(Struct, frozen=True):
    """An expression as a statement."""

    expression: "Expression"


class Return(Struct, frozen=True):
    """``return value``."""

    value: "Expression | None"


class If(Struct, frozen=True):
    """``if (test) … else …``."""

    test: "Expression"
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]


class Try(Struct, frozen=True):
    """``try … catch … finally …``."""

    body: tuple["Statement", ...]
    handler: tuple["Statement", ...]
    finalizer: tuple["Statement", ...]
    caught: "Pattern | None" = None
    """The target of the error."""


class Throw(Struct, frozen=True):
    """``throw value``."""

    value: "Expression"


class Import(Struct, frozen=True):
    """``import … from origin``: imported names with the names they are bound to."""

    names: tuple[tuple[str, str], ...]
    origin: str


class Export(Struct, frozen=True):
    """``export default value``."""

    value: "Expression"


Pattern = Name | ObjectPattern | ArrayPattern | Opaque
Expression = (
    Literal
    | Template
    | Name
    | Member
    | Call
    | Spread
    | Object
    | Array
    | Unary
    | Binary
    | Conditional
    | Assign
    | Function
    | Opaque
)
Statement = Declaration | Evaluate | Return | If | Try | Throw | Import | Export | Opaque
