"""What the expressions of a hook stand for: members of its argument, constants, functions.

Variables, patterns and functions of the project are followed; names that may stand for several
values are unknown.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from quire.javascript.scope import (
    Module,
    NotPlainError,
    bound_names,
    walk,
)
from quire.javascript.syntax import (
    Array,
    ArrayPattern,
    Assign,
    Binary,
    Call,
    Conditional,
    Declaration,
    Destructuring,
    Expression,
    ForOf,
    Function,
    Literal,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    OptionalCall,
    Property,
    RestParameter,
    Return,
    Spread,
    Statement,
    Unary,
    Update,
    WithDefault,
)
from quire.schema.model import ContentType

ValuePath = tuple[str, ...]
"""A member of the function's first argument, such as ``("params", "data")``.

``("result",)`` is also what a middleware gets from ``next``; ``"*"`` is any member.
"""
FindService = Callable[[str], "tuple[Module, Mapping[str, Expression]] | None"]
ANY = "*"
DATA: ValuePath = ("params", "data")
RESULT: ValuePath = ("result",)
NOT_UNDERSTOOD = "contains code that is not understood"
UNKNOWN = object()
MUTATORS = frozenset(
    {"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "delete", "clear"}
)
_ITEM_METHODS = frozenset(
    {"filter", "slice", "find", "at", "flat", "concat", "values", "entries", "sort", "reverse"}
)
PARSERS = frozenset({"JSON", "Date", "path", "qs", "querystring", "url", "marked"})
GLOBAL_FUNCTIONS = frozenset(
    {
        *("Number", "String", "Boolean", "BigInt", "Symbol", "Array", "Object", "Date", "Promise"),
        *("Error", "TypeError", "RangeError", "Set", "Map", "WeakMap", "RegExp", "URL", "Buffer"),
        *("URLSearchParams", "FormData", "Blob", "AbortController", "Headers", "Intl"),
        *("parseInt", "parseFloat", "isNaN", "isFinite", "encodeURIComponent", "encodeURI"),
        *("decodeURIComponent", "decodeURI", "setTimeout", "setImmediate", "setInterval"),
        *("clearTimeout", "clearInterval", "queueMicrotask", "structuredClone", "fetch", "require"),
    }
)
_GLOBAL_OBJECTS = frozenset(
    {
        *("strapi", "console", "JSON", "Math", "process", "Reflect", "globalThis", "crypto", "_"),
        *("performance", "Atomics", "undefined", "this", "exports", "module"),
    }
)
_CONTAINER_NAMES = frozenset(
    {"params", "data", "where", "filters", "populate", "result", "results", "entries", ANY}
)
"""Members of the hook's argument that are objects or lists, which others may change."""


class GuardingCodeError(Exception):
    """Code that may guard content: what it does, its file and its line."""

    def __init__(self, reason: str, file: str, line: int | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.file = file
        self.line = line


class HookCall(Struct, frozen=True, kw_only=True):
    """The call of a hook for a content type and an action, such as ``beforeCreate``.

    ``attributes`` are the names of the attributes of all types.
    """

    content_type: ContentType
    action: str
    attributes: frozenset[str] = frozenset()

    @property
    def is_read(self) -> bool:
        """Whether the action changes nothing."""
        return any(word in self.action for word in ("find", "Find", "count", "Count"))

    @property
    def is_late(self) -> bool:
        """Whether it is called after the action, when its data are written."""
        return self.action.startswith("after")


class JavaScriptProject(Struct, frozen=True):
    """The code of a project that hooks may call; ``types_used`` records conditions on types."""

    folder: Path
    find_service: FindService
    types_used: set[str]


class HookValueAnalysis:
    """What the expressions of a function stand for.

    It knows which variables stand for members of the hook's argument.
    """

    def __init__(
        self, code: JavaScriptProject, module: Module, call: HookCall, depth: int = 0
    ) -> None:
        self._code = code
        self._module = module
        self._call = call
        self._depth = depth
        self._paths: dict[str, ValuePath] = {}
        self._values: dict[str, list[Expression]] = {}
        self._shadowed = set(module.parameter_names)
        """Names that may stand for several values."""
        self._members: dict[tuple[str, str], ValuePath] = {}
        """What members of variables stand for; ``"*"`` for a spread object."""
        self._ambiguous_names: set[str] = set()
        """Names that stand for a member of the hook's argument, or for something else."""
        self._changed_names: set[str] = set()
        """Names of objects and lists that are changed."""
        self._resolved_functions: frozenset[int] = frozenset()
        self._functions: dict[str, Function] = {}
        self._next_name: str | None = None
        self._tests: list[Expression] = []
        self._statement: Statement | None = None

    @property
    def _content_type(self) -> ContentType:
        uid = self._call.content_type.uid
        self._code.types_used.add(uid)
        return self._call.content_type

    def guard(self, reason: str) -> GuardingCodeError:
        """Return the error for the present statement."""
        path = self._module.path
        file = "" if path is None else path.name
        if path is not None:
            folder = self._code.folder.resolve()
            resolved_path = path.resolve()
            if resolved_path.is_relative_to(folder):
                file = resolved_path.relative_to(folder).as_posix()
        line = None if self._statement is None else self._module.line_of(self._statement)
        return GuardingCodeError(reason, file, line)

    def _note_declarations(  # noqa: C901 - a case for each declaration and change
        self, function: Function
    ) -> None:
        """Note the names that a function declares or changes, with their values."""
        self._shadowed |= bound_names(function.parameters)
        for part in walk(function.body):
            match part:
                case Declaration(Name(name), value) | Assign(_, Name(name), value):
                    self._values.setdefault(name, []).append(value)
                    if isinstance(value, Function) and isinstance(part, Declaration):
                        self._functions[name] = value
                case Declaration(ObjectPattern(names), value):
                    self._shadowed |= bound_names(part.target)
                    for key, name in names:
                        self._values.setdefault(name, []).append(Member(value, key))
                case Declaration(target, value):
                    self._shadowed |= bound_names(target)
                    for name in bound_names(target):
                        self._values.setdefault(name, []).append(value)
                case Update(target=target) | ForOf(target=target):
                    self._shadowed |= bound_names(target)
                case Function(parameters):
                    self._shadowed |= bound_names(parameters)
                case Call(Member(Name(name), method), _) if method in MUTATORS | {"add"}:
                    self._changed_names.add(name)
                case Assign(_, Member(target), _):
                    self._changed_names.add(root_name(target) or "")
                case _:
                    continue

    def _bind_all(self, body: object) -> None:
        """Note what variables stand for anywhere in a function, also before they get a value."""
        count = -1
        while count < (count := len(self._paths) + len(self._members)):
            for part in walk(body):
                match part:
                    case Declaration(Name(name), Object(members)):
                        self._bind_members(name, members)
                    case Declaration(Name(name), Call(Member(Name("Object"), "assign"), values)):
                        self._bind_members(name, map(Spread, values))
                    case Call(Member(Name("Object"), "assign"), (Name(name), *values)) if (
                        name not in self._paths
                    ):
                        self._bind_members(name, map(Spread, values))
                    case Assign("=", Member(Name(name), str() as key), value) if (
                        name not in self._paths
                    ):
                        self._bind_members(name, (Property(key, value),))
                    case Declaration(target, value) | Assign(_, Name() as target, value):
                        self.bind(target, value, self._path(value))
                    case ForOf(target=target, items=items):
                        path = self._path(items)
                        self.bind(target, items, None if path is None else (*path, ANY))
                    case _:
                        continue
        self._note_ambiguous_names(body)

    def _note_ambiguous_names(self, body: object) -> None:
        for part in walk(body):
            match part:
                case Declaration(Name(name), value) if self._path(value) is not None:
                    is_ambiguous = not self._has_path_always(value)
                case Assign(_, Name(name), value):
                    is_ambiguous = name in self._paths and not self._has_path_always(value)
                case _:
                    continue
            if is_ambiguous:
                self._ambiguous_names.add(name)

    def _bind_members(self, name: str, members: Iterable[Property | Spread]) -> None:
        for member in members:
            path = self._path(member.value)
            if path is None and self._holds(member.value):
                raise self.guard(NOT_UNDERSTOOD)
            if path is not None and is_container(path):
                key = ANY
                if isinstance(member, Property) and isinstance(member.key, str):
                    key = member.key
                self._members.setdefault((name, key), path)

    def _has_path_always(self, value: object) -> bool:
        """Whether each value of an expression is a member of the hook's argument."""
        match value:
            case Conditional(_, left, right) | Binary("||" | "??" | "&&", left, right):
                return self._has_path_always(left) and self._has_path_always(right)
            case Unary("()" | "await", inner):
                return self._has_path_always(inner)
            case _:
                return self._path(value) is not None

    def bind(  # noqa: C901, PLR0912 - a case for each pattern
        self, target: object, value: Expression, path: ValuePath | None
    ) -> None:
        """Note what variables stand for."""
        match target:
            case Name(name):
                if path is None:
                    return
                if self._paths.setdefault(name, path) != path:
                    raise self.guard(NOT_UNDERSTOOD)
            case ObjectPattern(names):
                for key, name in names:
                    self.bind(Name(name), value, None if path is None else (*path, key))
            case ArrayPattern(names):
                for name in names:
                    self.bind(Name(name), value, None if path is None else (*path, ANY))
            case Destructuring(members=members, rest=rest):
                for key, inner in members:
                    self.bind(inner, value, None if path is None else (*path, key))
                if rest is not None:
                    self.bind(rest, value, path)
            case WithDefault(target=inner, default=default):
                if self._holds(default):
                    raise self.guard(NOT_UNDERSTOOD)
                self.bind(inner, value, path)
            case RestParameter(target=inner):
                self.bind(inner, value, path)
            case _ if path is not None:
                raise self.guard(NOT_UNDERSTOOD)
            case _:
                return

    def _path(self, value: object) -> ValuePath | None:  # noqa: C901 - a case for each expression
        """Return the member of the hook's argument that an expression may stand for."""
        match value:
            case Name(name):
                return self._paths.get(name)
            case Unary("()" | "await", inner):
                return self._path(inner)
            case Member(inner, key):
                path = self._path(inner)
                if path is None and isinstance(inner, Name):
                    return self._path_of_member(inner.text, key)
                return None if path is None else (*path, key if isinstance(key, str) else ANY)
            case Array(items):
                return self._path_of_items(items)
            case Binary("||" | "??" | "&&", left, right) | Conditional(_, left, right):
                path = self._path(left)
                return self._path(right) if path is None else path
            case Call() if self._is_next_call(value):
                return RESULT
            case Call(
                Member(Name("Object"), "values" | "entries") | Member(Name("Array"), "from"),
                (inner, *_),
            ):
                path = self._path(inner)
                return None if path is None else (*path, ANY)
            case Call(Member(Array(()), "concat"), arguments):
                return self._path_of_items(arguments)
            case (
                Call(Member(inner, str() as method), _)
                | OptionalCall(callee=Member(inner, str() as method))
            ) if method in _ITEM_METHODS:
                path = self._path(inner)
                return None if path is None else (*path, ANY)
            case Call(callee, arguments, False):
                return self._path_of_result(callee, arguments)
            case _:
                return None

    def _holds(self, value: object) -> bool:
        """Whether an expression is, or has in it, an object of the hook's argument."""
        match value:
            case Object(members):
                return any(self._holds(member.value) for member in members)
            case Array(items):
                return any(map(self._holds, items))
            case Spread(inner) | Unary("()" | "await", inner):
                return self._holds(inner)
            case Binary("||" | "??" | "&&", left, right) | Conditional(_, left, right):
                return self._holds(left) or self._holds(right)
            case _:
                path = self._path(value)
                return path is not None and is_container(path)

    def _path_of_member(self, name: str, key: object) -> ValuePath | None:
        """Return what a member of a variable stands for."""
        if not isinstance(key, str):
            return None
        path = self._members.get((name, key))
        if path is None and (name, ANY) in self._members:
            path = (*self._members[name, ANY], key)
        return path

    def _path_of_items(self, items: Iterable[object]) -> ValuePath | None:
        """Return what the items of a new list stand for."""
        for item in items:
            path = self._path(item.value if isinstance(item, Spread) else item)
            if path is not None and is_container(path):
                return (*path, ANY)
        return None

    def _path_of_result(
        self, callee: Expression, arguments: Sequence[Expression]
    ) -> ValuePath | None:
        """Return the member of the hook's argument that a function of the project may return."""
        paths = tuple(map(self._path, arguments))
        is_closure = isinstance(callee, Function) or (
            isinstance(callee, Name) and callee.text in self._functions
        )
        if not is_closure and not any(path is not None and is_container(path) for path in paths):
            return None
        resolved = self._function_of(callee)
        if resolved is None or id(resolved[1]) in self._resolved_functions:
            return None
        module, function = resolved
        other = HookValueAnalysis(self._code, module, self._call, self._depth + 1)
        other._statement = self._statement if module is self._module else None
        other._resolved_functions = self._resolved_functions | {id(function)}
        if is_closure:
            names = bound_names(function.parameters)
            other._paths = {name: path for name, path in self._paths.items() if name not in names}
            other._functions = self._functions
        for parameter, path in zip(function.parameters, paths, strict=False):
            other.bind(parameter, Opaque(), path)
        other._bind_all(function.body)
        values: list[object] = [
            part.value for part in walk(function.body) if isinstance(part, Return)
        ]
        if not isinstance(function.body, tuple):
            values.append(function.body)
        for value in values:
            result = other._path(value)
            if result is not None and is_container(result):
                return result
        return None

    def _is_next_call(self, value: object) -> bool:
        return (
            isinstance(value, Call)
            and self._next_name is not None
            and value.callee == Name(self._next_name)
        )

    def _known(self, value: object) -> object:  # noqa: C901, PLR0912 - a case for each form
        """Return the value of an expression for this call, ``UNKNOWN`` if it is not known."""
        match value:
            case Literal(literal):
                return literal
            case Unary("()", inner):
                return self._known(inner)
            case Unary("!", inner):
                known = self._known(inner)
                return UNKNOWN if known is UNKNOWN else not known
            case Binary("&&" | "||" as operator, left, right):
                known = self._known(left)
                other_known = self._known(right)
                for one in (known, other_known):
                    if one is not UNKNOWN and bool(one) == (operator == "||"):
                        return one
                return UNKNOWN if UNKNOWN in {known, other_known} else other_known
            case Binary("===" | "==" | "!==" | "!=" as operator, left, right):
                known, other_known = self._known(left), self._known(right)
                if UNKNOWN in (known, other_known):
                    return UNKNOWN
                return (known == other_known) == (operator in {"===", "=="})
            case Call(Member(inner, "includes" | "has" as method), (item,)):
                return self._known_membership(inner, item, method)
            case Call(Member(inner, "startsWith" | "endsWith" as method), (item,)):
                text, part = self._known(inner), self._known(item)
                if not isinstance(text, str) or not isinstance(part, str):
                    return UNKNOWN
                return text.startswith(part) if method == "startsWith" else text.endswith(part)
            case Name() | Member():
                path = self._path(value)
                if root_name(value) in self._ambiguous_names:
                    return UNKNOWN
                if path is not None:
                    return self._known_member(path)
                return self._constant(value)
            case _:
                return UNKNOWN

    def _known_member(self, path: ValuePath) -> object:
        match path:
            case ("uid",) | ("contentType", "uid") | ("model", "uid"):
                return self._content_type.uid
            case ("action",):
                return self._call.action
            case ("model" | "contentType", "singularName" | "modelName"):
                return self._content_type.uid.rpartition(".")[2]
            case _:
                return UNKNOWN

    def _known_membership(self, container: Expression, item: Expression, method: str) -> object:
        known = self._known(item)
        if known is UNKNOWN:
            return UNKNOWN
        text = self._known(container)
        if isinstance(text, str) and isinstance(known, str) and method == "includes":
            return known in text
        match self._followed(container):
            case Array(items):
                known_items = [self._known(inner) for inner in items]
            case Call(Name("Set"), (inner,), True) if isinstance(
                array := self._followed(inner), Array
            ):
                known_items = [self._known(item) for item in array.items]
            case Call(Member(Name("Object"), "keys"), (inner,)) if isinstance(
                constant := self._followed(inner), Object
            ):
                known_items = [
                    member.key
                    if isinstance(member, Property) and isinstance(member.key, str)
                    else UNKNOWN
                    for member in constant.members
                ]
            case _:
                return UNKNOWN
        if known in known_items:
            return True
        return UNKNOWN if UNKNOWN in known_items else False

    def _followed(self, value: Expression) -> Expression:
        """Return what a constant stands for."""
        if isinstance(value, Name):
            values = self._values.get(value.text, [])
            if (
                len(values) > 1
                or value.text in self._shadowed | self._changed_names
                or value.text in self._paths
            ):
                return Opaque()
            if values:
                return self._followed(values[0])
            if value.text in self._module.imports:
                try:
                    module, imported_value = self._module.imported(value.text)
                except NotPlainError:
                    return value
                return module.followed(imported_value)
        return self._module.followed(value)

    def _constant(self, value: Expression) -> object:
        followed_value = self._followed(value)
        if isinstance(followed_value, Literal):
            return followed_value.value
        name = root_name(value)
        if name in self._values or name in self._shadowed:
            return UNKNOWN
        try:
            constant = self._module.value(value)
        except NotPlainError:
            return UNKNOWN
        return constant if isinstance(constant, str | bool) else UNKNOWN

    def _package_of(self, value: Expression) -> str | None:
        """Return the package that an expression comes from, ``None`` for others."""
        for part in self._origins(value):
            match part:
                case Name(name) if name in self._module.imports:
                    origin = self._module.imports[name][0]
                    return None if origin.startswith(".") else origin
                case Call(Name("require"), (Literal(str() as origin),)):
                    return None if origin.startswith(".") else origin
                case _:
                    continue
        return None

    def _is_own(self, value: Expression) -> bool:
        """Whether an object may be one of the project, with methods of its own."""
        for part in self._origins(value):
            match part:
                case Object() | Function() | Call(Name("require"), (Literal("." | ".."),)):
                    return True
                case Call(Name("require"), (Literal(str() as origin),)):
                    return origin.startswith(".")
                case Call(Name("require")) | Member(_, "config"):
                    return True
                case Name(name) if name in self._module.imports:
                    return self._module.imports[name][0].startswith(".")
                case Name(name) if not self._is_declared(name):
                    return True
                case Call(Name(name)) if name in self._functions:
                    return True
                case _:
                    continue
        return False

    def _is_declared(self, name: str) -> bool:
        """Whether a name is a global one, or declared by more than a class."""
        return (
            name in self._values
            or name in self._paths
            or name in self._shadowed
            or name in self._module.bindings
            or name in GLOBAL_FUNCTIONS | _GLOBAL_OBJECTS | PARSERS
        )

    def _origins(self, value: Expression) -> Iterator[Expression]:
        """Yield an expression and what it is a member or a result of, also by variables."""
        pending, seen = [value], set[str]()
        while pending:
            part = pending.pop()
            yield part
            match part:
                case Name(name) if name not in seen and name not in self._paths:
                    seen.add(name)
                    pending += self._values.get(name, ())
                    if name not in self._values and name in self._module.bindings:
                        pending.append(self._module.bindings[name])
                case Call(Name("require")):
                    continue
                case Member(inner) | Unary("()" | "await", inner) | Call(inner):
                    pending.append(inner)
                case Binary("||" | "??" | "&&", left, right) | Conditional(_, left, right):
                    pending += (left, right)
                case _:
                    continue

    def _expanded(self, value: Expression) -> Expression:
        """Return a chain of members and calls with the value of the variable that it begins with.

        Results that were waited for, and those of services, are data.
        """
        match value:
            case Member(inner):
                return replace(value, object=self._expanded(inner))
            case Call(inner) | OptionalCall(callee=inner):
                return replace(value, callee=self._expanded(inner))
            case Unary("()", inner):
                return self._expanded(inner)
            case Name(name) if name not in self._paths:
                is_parameter = name in self._shadowed and name not in self._values
                module_value = value if is_parameter else self._module.bindings.get(name, value)
                values = self._values.get(name, [module_value])
                if len(values) > 1 or values[0] == value:
                    return value
                match self._expanded(values[0]):
                    case Unary("await") | Call(Member(Call(Member(_, "service")))):
                        return value
                    case expanded:
                        return expanded
            case _:
                return value

    def _is_own_module(self, name: str) -> bool:
        return name in self._module.imports and self._module.imports[name][0].startswith(".")

    def _own_member(self, name: str, member: str) -> tuple[Module, Function] | None:
        """Return a function of another module of the project, by the name of that module."""
        origin, imported_name = self._module.imports[name]
        other = self._module.other(origin)
        if other is None or imported_name not in {"default", "*"}:
            return None
        return exported_function(other, member)

    def _own_function(self, name: str) -> tuple[Module, Function] | None:
        """Return a function of this module, or an imported one of the project."""
        if name in self._module.imports:
            origin, imported_name = self._module.imports[name]
            other = self._module.other(origin)
            return None if other is None else exported_function(other, imported_name)
        return self._module.function(name)

    def _function_of(self, value: Expression) -> tuple[Module, Function] | None:
        """Return the function that an expression is, or is the name of."""
        match value:
            case Function():
                return self._module, value
            case Name(name) if name in self._functions:
                return self._module, self._functions[name]
            case Name(name) if name not in self._values and name not in self._paths:
                return self._own_function(name)
            case _:
                return None

    def _has_method(self, inner: Expression, method: str) -> bool:
        """Whether an expression is an object of the project that has a method."""
        owner = self._followed(inner)
        return isinstance(owner, Object) and any(
            isinstance(member, Property) and member.key == method for member in owner.members
        )


def exported_function(module: Module, name: str) -> tuple[Module, Function] | None:
    """Return a function that a module exports."""
    function = None if name in {"default", "*"} else module.function(name)
    if function is not None:
        return function
    exported = module.exported
    if name in {"default", "*"}:
        return (module, exported) if isinstance(exported, Function) else None
    for member in exported.members if isinstance(exported, Object) else ():
        if isinstance(member, Property) and member.key == name:
            value = module.followed(member.value)
            return (module, value) if isinstance(value, Function) else None
    return None


def is_container(path: ValuePath) -> bool:
    """Whether a member of the hook's argument is an object or list, which others may change."""
    return not path or path[-1] in _CONTAINER_NAMES


def root_name(value: object) -> str | None:
    """Return the name that a chain of members and calls begins with, ``strapi`` also as a key."""
    while isinstance(value, Member | Call | OptionalCall | Unary):
        if isinstance(value, Member):
            if value.key == "strapi":
                return "strapi"
            value = value.object
        elif isinstance(value, Unary):
            value = value.operand
        else:
            value = value.callee
    return value.text if isinstance(value, Name) else None
