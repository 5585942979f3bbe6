"""Parses JavaScript and TypeScript modules.

Types are skipped. A function whose body contains unsupported syntax becomes opaque, and so does a
statement of a module: the rest of the module is parsed all the same.
"""

from collections.abc import Callable, Mapping, Sequence

from quire.javascript.syntax import (
    Array,
    ArrayPattern,
    Assign,
    Binary,
    Call,
    Conditional,
    Declaration,
    Destructuring,
    Evaluate,
    Export,
    Expression,
    ForOf,
    Function,
    Getter,
    If,
    Import,
    Jump,
    Literal,
    Loop,
    Member,
    Name,
    Object,
    ObjectPattern,
    Opaque,
    OptionalCall,
    Pattern,
    Property,
    Regex,
    RestParameter,
    Return,
    Spread,
    Statement,
    Switch,
    Template,
    Throw,
    Try,
    Unary,
    Update,
    WithDefault,
)
from quire.javascript.tokens import Token, hole_end, tokenise

_CONSTANTS = {"true": True, "false": False, "null": None}
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_ASSIGNMENT_OPERATORS = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "??=", "||=", "&&="})
_PRECEDENCE = {
    "??": 1,
    "||": 1,
    "&&": 2,
    "|": 3,
    "^": 3,
    "&": 3,
    "==": 4,
    "!=": 4,
    "===": 4,
    "!==": 4,
    "<": 5,
    ">": 5,
    "<=": 5,
    ">=": 5,
    "in": 5,
    "instanceof": 5,
    "+": 6,
    "-": 6,
    "*": 7,
    "/": 7,
    "%": 7,
    "**": 8,
}
_PREFIXES = frozenset({"!", "-", "+", "~", "++", "--"})
_PREFIX_WORDS = frozenset({"await", "typeof", "void", "delete"})
_TYPE_DECLARATIONS = frozenset({"interface", "type", "declare", "enum", "abstract", "namespace"})
_TYPE_PREFIXES = frozenset({"readonly", "keyof", "typeof", "infer", "unique", "asserts"})
_UNKNOWN_STATEMENTS = ("class", "do")
_BEGIN_STATEMENTS = frozenset({"const", "let", "var", "export", "import", "function", "class"})


class _UnknownSyntaxError(Exception):
    """Unsupported syntax."""


def parse_module(source: str) -> tuple[tuple[Statement, ...], Mapping[int, int]]:
    """Parse a module; return its statements, and the lines of all statements by their ``id``.

    Unsupported parts are `Opaque`; this never fails.
    """
    parser = _Parser(tokenise(source))
    statements: list[Statement] = []
    while not parser.at_end:
        start = parser.position
        try:
            statements += parser.statement()
        except (_UnknownSyntaxError, RecursionError):
            parser.position = start
            line = parser.tokens[start].line
            statements.append(parser.skip_statement())
            parser.lines[id(statements[-1])] = line
    return tuple(statements), parser.lines


def _parse_hole(source: str) -> Expression:
    """Parse the expression in a placeholder of a template."""
    parser = _Parser(tokenise(source))
    value = parser.expression()
    if not parser.at_end:
        raise _UnknownSyntaxError
    return value


class _Parser:
    """Reads tokens from left to right; every method leaves the position after what it read."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.lines: dict[int, int] = {}

    @property
    def at_end(self) -> bool:
        return self.position >= len(self.tokens)

    # Statements

    def statement(self) -> list[Statement]:
        line = self._peek().line
        statements = self._statement()
        self.lines.update((id(statement), line) for statement in statements)
        return statements

    def _statement(self) -> list[Statement]:
        token = self._peek()
        if token.is_mark(";"):
            self._next()
            return []
        if token.is_word("import") and not self._peek(1).is_mark("(", "."):
            return self._import()
        if token.is_word("export"):
            return self._export()
        if token.is_word("const", "let", "var"):
            return self._declarations()
        if token.is_word("function") or self._is_async_function():
            return [self._function_declaration()]
        parsers: Mapping[str, Callable[[], Statement]] = {
            "return": self._return,
            "if": self._if,
            "try": self._try,
            "throw": self._throw,
            "for": self._for,
            "while": self._while,
            "switch": self._switch,
            "break": self._jump,
            "continue": self._jump,
        }
        if token.kind == "word" and token.text in parsers:
            return [parsers[token.text]()]
        if token.is_word("enum") and self._peek(1).kind == "word":
            return self._enumeration()
        if token.is_word(*_TYPE_DECLARATIONS) and self._peek(1).kind == "word":
            self._type_declaration()
            return []
        if token.is_word(*_UNKNOWN_STATEMENTS):
            raise _UnknownSyntaxError
        expression = self.expression()
        self._end_statement()
        return [Evaluate(expression)]

    def _is_async_function(self) -> bool:
        return self._peek().is_word("async") and self._peek(1).is_word("function")

    def skip_statement(self) -> Opaque:
        """Skip an unsupported statement, up to where the next one may begin."""
        names: set[str] = set()
        first = True
        while not self.at_end:
            token = self._peek()
            starts_statement = token.is_word(*_BEGIN_STATEMENTS) or token.is_word("module")
            if not first and token.starts_line and starts_statement:
                break
            first = False
            if token.kind == "mark" and token.text in _BRACKETS:
                names |= self._skip_or_end()
                continue
            names |= _names_in(token)
            self.position += 1
            if token.is_mark(";"):
                break
        return Opaque(frozenset(names))

    def _skip_or_end(self) -> set[str]:
        """Skip brackets; if they are not closed, skip the rest."""
        start = self.position
        try:
            return self._skip_balanced()
        except _UnknownSyntaxError:
            self.position = len(self.tokens)
            skipped_tokens = self.tokens[start:]
            return set().union(*map(_names_in, skipped_tokens))

    def _import(self) -> list[Statement]:
        self._next()
        if self._peek().kind == "string":
            self._next()
            self._end_statement()
            return [Opaque(frozenset({"import"}))]
        is_of_types = self._peek().is_word("type") and not self._peek(1).is_word("from")
        if is_of_types:
            self._next()
        names = self._imported_names()
        self._word("from")
        origin = self._next()
        if origin.kind != "string":
            raise _UnknownSyntaxError
        self._end_statement()
        return [] if is_of_types else [Import(tuple(names), origin.text)]

    def _imported_names(self) -> list[tuple[str, str]]:
        names: list[tuple[str, str]] = []
        while not self._peek().is_word("from"):
            if self._skip(","):
                continue
            if self._skip("*"):
                self._word("as")
                names.append(("*", self._name()))
            elif self._peek().is_mark("{"):
                names += self._names_in_braces("as")
            else:
                names.append(("default", self._name()))
        return names

    def _names_in_braces(self, renames: str) -> list[tuple[str, str]]:
        """Read ``{ a, b as c }``, or ``{ a, b: c }`` where a colon renames."""
        self._mark("{")
        names = []
        while not self._skip("}"):
            if self._peek().is_word("type") and self._peek(1).kind == "word":
                self._next()
            name = self._name()
            is_renamed = self._skip(":") if renames == ":" else self._skip_word(renames)
            names.append((name, self._name() if is_renamed else name))
            if not self._skip(","):
                self._mark("}")
                break
        return names

    def _export(self) -> list[Statement]:
        self._next()
        if self._skip_word("default"):
            if self._peek().is_word("function") or self._is_async_function():
                declaration = self._function_declaration()
                return [Export(declaration.value)]
            if self._peek().is_word("class"):
                raise _UnknownSyntaxError
            value = self.expression()
            self._end_statement()
            return [Export(value)]
        if self._peek().is_mark("{") or self._peek().is_mark("*"):
            raise _UnknownSyntaxError
        return self.statement()

    def _declarations(self) -> list[Statement]:
        self._next()
        declarations: list[Statement] = []
        while True:
            target = self._pattern()
            value = self._assignment() if self._skip("=") else Opaque()
            declarations.append(Declaration(target, value))
            if not self._skip(","):
                break
        self._end_statement()
        return declarations

    def _pattern(self) -> Pattern:
        pattern: Pattern
        token = self._peek()
        if token.is_mark("{"):
            start = self.position
            try:
                names = self._names_in_braces(":")
            except _UnknownSyntaxError:
                self.position = start
                pattern = self._destructuring()
            else:
                pattern = ObjectPattern(tuple(names))
        elif token.is_mark("["):
            pattern = self._array_pattern()
        else:
            pattern = Name(self._name())
        self._skip("?")
        if self._skip(":"):
            self._type()
        return pattern

    def _array_pattern(self) -> Pattern:
        start = self.position
        try:
            self._mark("[")
            names = []
            while not self._skip("]"):
                names.append("" if self._peek().is_mark(",") else self._name())
                if not self._skip(","):
                    self._mark("]")
                    break
        except _UnknownSyntaxError:
            self.position = start
            return Opaque(frozenset(self._skip_balanced()))
        return ArrayPattern(tuple(names))

    def _destructuring(self) -> Pattern:
        """Read ``{ … }`` with defaults, patterns or a rest; other syntax makes it opaque."""
        start = self.position
        names = frozenset(self._skip_balanced())
        end, self.position = self.position, start
        try:
            members, rest = self._destructuring_members()
        except _UnknownSyntaxError:
            self.position = end
            return Opaque(names)
        return Destructuring(names, members=tuple(members), rest=rest)

    def _destructuring_members(self) -> tuple[list[tuple[str, Pattern]], Pattern | None]:
        members: list[tuple[str, Pattern]] = []
        rest: Pattern | None = None
        self._mark("{")
        while not self._skip("}"):
            if self._skip("..."):
                rest = Name(self._name())
            else:
                key = self._name()
                target = self._pattern() if self._skip(":") else Name(key)
                members.append((key, self._parse_default(target)))
            if not self._skip(","):
                self._mark("}")
                break
        return members, rest

    def _parse_default(self, target: Pattern) -> Pattern:
        start = self.position
        if not self._skip("="):
            return target
        value = self._assignment()
        return WithDefault(self._names_since(start), target=target, default=value)

    def _names_since(self, start: int) -> frozenset[str]:
        """Return the names in what was read, never none: code without names counts as harmless."""
        names = {name for token in self.tokens[start : self.position] for name in _names_in(token)}
        return frozenset(names or {"="})

    def _function_declaration(self) -> Declaration:
        is_async = self._skip_word("async")
        self._word("function")
        if self._skip("*"):
            raise _UnknownSyntaxError
        name = self._name() if self._peek().kind == "word" else ""
        return Declaration(Name(name), self._function_rest(is_async=is_async))

    def _function_rest(self, *, is_async: bool) -> Function:
        """Read the parameters and the body of a function that is not an arrow function."""
        if self._peek().is_mark("<"):
            self._skip_angles()
        parameters = self._parameters()
        if self._skip(":"):
            self._type()
        return Function(parameters, self._body(), is_async)

    def _body(self) -> Opaque | tuple[Statement, ...]:
        """Read statements in braces; unsupported syntax makes all of them opaque."""
        start = self.position
        try:
            return self._block()
        except _UnknownSyntaxError:
            self.position = start
            return Opaque(frozenset(self._skip_balanced()))

    def _block(self) -> tuple[Statement, ...]:
        self._mark("{")
        statements: list[Statement] = []
        while not self._skip("}"):
            statements += self.statement()
        return tuple(statements)

    def _return(self) -> Return:
        self._next()
        token = self._peek()
        if token.is_mark(";", "}") or token.starts_line:
            self._skip(";")
            return Return(None)
        value = self.expression()
        self._end_statement()
        return Return(value)

    def _if(self) -> If:
        self._next()
        self._mark("(")
        test = self.expression()
        self._mark(")")
        then = self._branch()
        otherwise = self._branch() if self._skip_word("else") else ()
        return If(test, then, otherwise)

    def _try(self) -> Try:
        self._next()
        body = self._block()
        handler: tuple[Statement, ...] = ()
        finalizer: tuple[Statement, ...] = ()
        catch_pattern: Pattern | None = None
        if self._skip_word("catch"):
            if self._skip("("):
                catch_pattern = self._pattern()
                self._mark(")")
            handler = self._block()
        if self._skip_word("finally"):
            finalizer = self._block()
        return Try(body, handler, finalizer, catch_pattern)

    def _for(self) -> Statement:
        start = self.position
        self._next()
        if self._skip_word("await"):
            raise _UnknownSyntaxError
        self._mark("(")
        loop = self._for_of(start)
        if loop is not None:
            return loop
        start_statements: list[Statement] = [] if self._skip(";") else self.statement()
        if not self.tokens[self.position - 1].is_mark(";"):
            raise _UnknownSyntaxError
        test = None if self._peek().is_mark(";") else self.expression()
        self._mark(";")
        step = None if self._peek().is_mark(")") else self.expression()
        self._mark(")")
        body = self._branch()
        return Loop(
            self._names_since(start), start=tuple(start_statements), test=test, step=step, body=body
        )

    def _for_of(self, start: int) -> Statement | None:
        """Read ``const target of items) …``; ``None`` for other loops."""
        start_position = self.position
        if not self._peek().is_word("const", "let", "var"):
            return None
        self._next()
        target = self._pattern()
        of_keys = self._peek().is_word("in")
        if not of_keys and not self._peek().is_word("of"):
            self.position = start_position
            return None
        self._next()
        items = self.expression()
        self._mark(")")
        body = self._branch()
        names = self._names_since(start)
        return ForOf(names, target=target, items=items, body=body, of_keys=of_keys)

    def _while(self) -> Loop:
        start = self.position
        self._next()
        self._mark("(")
        test = self.expression()
        self._mark(")")
        body = self._branch()
        return Loop(self._names_since(start), start=(), test=test, step=None, body=body)

    def _switch(self) -> Switch:
        start = self.position
        self._next()
        self._mark("(")
        value = self.expression()
        self._mark(")")
        self._mark("{")
        cases: list[tuple[Expression | None, tuple[Statement, ...]]] = []
        while not self._skip("}"):
            test = None
            if not self._skip_word("default"):
                self._word("case")
                test = self.expression()
            self._mark(":")
            statements: list[Statement] = []
            while not (self._peek().is_word("case", "default") or self._peek().is_mark("}")):
                is_block = self._peek().is_mark("{")
                statements += self._block() if is_block else self.statement()
            cases.append((test, tuple(statements)))
        return Switch(self._names_since(start), value=value, cases=tuple(cases))

    def _jump(self) -> Jump:
        token = self._next()
        self._end_statement()
        return Jump(frozenset({token.text}), word=token.text)

    def _throw(self) -> Throw:
        self._next()
        value = self.expression()
        self._end_statement()
        return Throw(value)

    def _branch(self) -> tuple[Statement, ...]:
        return self._block() if self._peek().is_mark("{") else tuple(self.statement())

    def _enumeration(self) -> list[Statement]:
        """Read an enumeration of texts, which is an object; others are skipped."""
        start = self.position
        self._next()
        name = self._name()
        members: list[Property | Spread] = []
        try:
            self._mark("{")
            while not self._skip("}"):
                key = self._name()
                self._mark("=")
                value = self._string()
                members.append(Property(key, Literal(value)))
                if not self._skip(","):
                    self._mark("}")
                    break
        except _UnknownSyntaxError:
            self.position = start
            self._type_declaration()
            return []
        return [Declaration(Name(name), Object(tuple(members)))]

    def _string(self) -> str:
        token = self._next()
        if token.kind != "string":
            raise _UnknownSyntaxError
        return token.text

    def _type_declaration(self) -> None:
        """Skip an interface, a type, an enumeration, or a variable that is declared only."""
        if self._peek(1).is_word("const", "let", "var"):
            self._next()
            self._declarations()
            return
        is_alias = self._next().is_word("type")
        while not self._peek().is_mark("{", "="):
            self._next()
        if is_alias or self._peek().is_mark("="):
            self._mark("=")
            self._type()
            self._end_statement()
        else:
            self._skip_balanced()

    def _end_statement(self) -> None:
        if self._skip(";") or self.at_end:
            return
        token = self._peek()
        if not token.starts_line and not token.is_mark("}"):
            raise _UnknownSyntaxError

    # Expressions

    def expression(self) -> Expression:
        value = self._assignment()
        if not self.at_end and self._peek().is_mark(","):
            raise _UnknownSyntaxError
        return value

    def _assignment(self) -> Expression:
        arrow = self._arrow()
        if arrow is not None:
            return arrow
        left = self._conditional()
        if (
            not self.at_end
            and self._peek().kind == "mark"
            and self._peek().text in _ASSIGNMENT_OPERATORS
        ):
            operator = self._next().text
            return Assign(operator, left, self._assignment())
        return left

    def _arrow(self) -> Function | None:
        """Read an arrow function, if there is one."""
        start = self.position
        is_async = self._skip_word("async")
        if self.at_end:
            self.position = start
            return None
        token = self._peek()
        if token.kind == "word" and self._peek(1).is_mark("=>"):
            parameters: tuple[Pattern, ...] = (Name(self._next().text),)
        elif token.is_mark("(", "<"):
            try:
                if token.is_mark("<"):
                    self._skip_angles()
                parameters = self._parameters()
                if self._skip(":"):
                    self._type()
            except _UnknownSyntaxError:
                self.position = start
                return None
        else:
            self.position = start
            return None
        if not self._skip("=>"):
            self.position = start
            return None
        if self._peek().is_mark("{"):
            return Function(parameters, self._body(), is_async, is_arrow=True)
        return Function(parameters, self._assignment(), is_async, is_arrow=True)

    def _parameters(self) -> tuple[Pattern, ...]:
        self._mark("(")
        parameters: list[Pattern] = []
        while not self._skip(")"):
            start = self.position
            if self._skip("..."):
                target = self._pattern()
                parameters.append(RestParameter(self._names_since(start), target=target))
            else:
                parameters.append(self._parse_default(self._pattern()))
            if not self._skip(","):
                self._mark(")")
                break
        return tuple(parameters)

    def _conditional(self) -> Expression:
        test = self._binary(0)
        if self.at_end or not self._peek().is_mark("?"):
            return test
        self._next()
        then = self._assignment()
        self._mark(":")
        return Conditional(test, then, self._assignment())

    def _binary(self, minimum_precedence: int) -> Expression:
        left = self._unary()
        while not self.at_end:
            token = self._peek()
            if token.is_word("as", "satisfies") and not token.starts_line:
                self._next()
                if not self._skip_word("const"):
                    self._type()
                continue
            precedence = _PRECEDENCE.get(token.text) if token.kind in {"mark", "word"} else None
            if precedence is None or precedence <= minimum_precedence:
                break
            self._next()
            left = Binary(token.text, left, self._binary(precedence))
        return left

    def _unary(self) -> Expression:
        token = self._peek()
        if token.kind == "mark" and token.text in _PREFIXES:
            self._next()
            return Unary(token.text, self._unary())
        if token.kind == "word" and token.text in _PREFIX_WORDS:
            self._next()
            return Unary(token.text, self._unary())
        value = self._postfix(self._primary())
        if not self.at_end and self._peek().is_mark("++", "--"):
            token = self._next()
            names = frozenset({"++"}) | _roots(value)
            return Update(names, operator=token.text, target=value)
        return value

    def _postfix(self, value: Expression) -> Expression:
        while not self.at_end:
            token = self._peek()
            if token.is_mark(".", "?.", "[", "("):
                value = self._access(value)
            elif token.is_mark("!") and not token.starts_line:
                self._next()
            elif token.kind == "template":
                raise _UnknownSyntaxError
            elif not token.is_mark("<") or not self._skip_type_arguments():
                break
        return value

    def _access(self, value: Expression) -> Expression:
        """Read a member or a call, optional or not."""
        is_optional = self._skip("?.")
        is_dotted = is_optional or self._skip(".")
        if self._peek().is_mark("(") and is_optional:
            start = self.position
            arguments = self._arguments()
            names = self._names_since(start) | _roots(value)
            return OptionalCall(names, callee=value, arguments=arguments)
        if self._peek().is_mark("("):
            return Call(value, self._arguments())
        if self._peek().is_mark("["):
            return self._computed_member(value, is_optional=is_optional)
        if not is_dotted:
            raise _UnknownSyntaxError
        return Member(value, self._name(), is_optional)

    def _computed_member(self, value: Expression, *, is_optional: bool) -> Member:
        self._mark("[")
        key = self.expression()
        self._mark("]")
        return Member(value, _plain_key(key), is_optional)

    def _skip_type_arguments(self) -> bool:
        """Skip ``<T>`` before the arguments of a call, but not a comparison."""
        start = self.position
        try:
            self._skip_angles()
        except _UnknownSyntaxError:
            self.position = start
            return False
        if self.at_end or not self._peek().is_mark("("):
            self.position = start
            return False
        return True

    def _arguments(self) -> tuple[Expression, ...]:
        self._mark("(")
        return self._values(")")

    def _values(self, end: str) -> tuple[Expression, ...]:
        values: list[Expression] = []
        while not self._skip(end):
            if end == "]" and self._skip(","):
                values.append(Opaque(frozenset({","})))
                continue
            if self._skip("..."):
                values.append(Spread(self._assignment()))
            else:
                values.append(self._assignment())
            if not self._skip(","):
                self._mark(end)
                break
        return tuple(values)

    def _primary(self) -> Expression:
        token = self._next()
        match token.kind:
            case "string":
                return Literal(token.text)
            case "number":
                text = token.text.replace("_", "")
                return Literal(float(text) if "." in text else int(text))
            case "template":
                return self._template(token.text)
            case "regex":
                body, _, flags = token.text[1:].rpartition("/")
                return Regex(pattern=body, flags=flags)
            case "word":
                return self._word_value(token)
            case "mark":
                return self._bracket_expression(token)
            case _:
                raise _UnknownSyntaxError

    def _word_value(self, token: Token) -> Expression:
        if token.text in _CONSTANTS:
            return Literal(_CONSTANTS[token.text])
        if token.text == "function" or (token.text == "async" and self._peek().is_word("function")):
            is_async = token.text == "async"
            if is_async:
                self._next()
            if self._peek().kind == "word":
                self._next()
            return self._function_rest(is_async=is_async)
        if token.text == "new":
            callee = self._new_callee()
            arguments = self._arguments() if self._peek().is_mark("(") else ()
            return Call(callee, arguments, is_new=True)
        if token.text in {"class", "yield", "import"}:
            raise _UnknownSyntaxError
        return Name(token.text)

    def _new_callee(self) -> Expression:
        callee: Expression = Name(self._name())
        while self._skip("."):
            callee = Member(callee, self._name())
        if self._peek().is_mark("<"):
            self._skip_angles()
        return callee

    def _bracket_expression(self, token: Token) -> Expression:
        if token.is_mark("("):
            value = self.expression()
            self._mark(")")
            ends_chain = not self.at_end and self._peek().is_mark(".", "[", "(")
            return Unary("()", value) if ends_chain and _is_optional(value) else value
        if token.is_mark("["):
            return Array(self._values("]"))
        if token.is_mark("{"):
            return self._object()
        raise _UnknownSyntaxError

    def _object(self) -> Object:
        members: list[Property | Spread] = []
        while not self._skip("}"):
            members.append(self._object_member())
            if not self._skip(","):
                self._mark("}")
                break
        return Object(tuple(members))

    def _object_member(self) -> Property | Spread:
        if self._skip("..."):
            return Spread(self._assignment())
        is_async = self._peek().is_word("async") and not self._peek(1).is_mark(":", "(", ",", "}")
        if is_async:
            self._next()
        if self._peek().is_word("get") and self._peek(1).kind in {"word", "string"}:
            return self._getter()
        if self._peek().is_word("set") and self._peek(1).kind in {"word", "string"}:
            raise _UnknownSyntaxError
        key = self._key()
        if self._peek().is_mark("(", "<"):
            return Property(key, self._function_rest(is_async=is_async))
        if self._skip(":"):
            return Property(key, self._assignment())
        if not isinstance(key, str):
            raise _UnknownSyntaxError
        return Property(key, Name(key))

    def _getter(self) -> Property:
        start = self.position
        self._next()
        key = self._key()
        function = self._function_rest(is_async=False)
        return Property(key, Getter(self._names_since(start), function=function))

    def _key(self) -> str | Expression:
        token = self._next()
        if token.kind in {"word", "string", "number"}:
            return token.text
        if not token.is_mark("["):
            raise _UnknownSyntaxError
        key = self.expression()
        self._mark("]")
        return _plain_key(key)

    def _template(self, text: str) -> Template:
        parts: list[str | Expression] = []
        position = 0
        while (start := text.find("${", position)) >= 0:
            end = hole_end(text, start + 2)
            if end is None:
                raise _UnknownSyntaxError
            parts += [text[position:start], _parse_hole(text[start + 2 : end])]
            position = end + 1
        parts.append(text[position:])
        return Template(tuple(parts))

    # Types

    def _type(self) -> None:
        """Skip a type."""
        self._skip("|")
        self._type_unit()
        while not self.at_end and self._peek().is_mark("|", "&"):
            self._next()
            self._type_unit()

    def _type_unit(self) -> None:
        while self._peek().is_word(*_TYPE_PREFIXES) and self._peek(1).kind != "mark":
            self._next()
        token = self._peek()
        if token.is_mark("(", "{", "["):
            self._skip_balanced()
            if self._skip("=>"):
                self._type()
        elif token.kind in {"word", "string", "number"}:
            self._next()
            self._type_name_rest()
        else:
            raise _UnknownSyntaxError
        while not self.at_end and self._peek().is_mark("[") and not self._peek().starts_line:
            self._skip_balanced()
        if not self.at_end and self._peek().is_word("is", "extends"):
            self._next()
            self._type()

    def _type_name_rest(self) -> None:
        while not self.at_end and self._peek().is_mark(".", "<"):
            if self._peek().is_mark("<"):
                self._skip_angles()
            else:
                self._next()
                self._name()

    def _skip_angles(self) -> None:
        """Skip type arguments in angle brackets."""
        depth = 0
        while True:
            token = self._peek()
            if token.kind == "mark" and token.text in _BRACKETS:
                self._skip_balanced()
                continue
            if token.is_mark(";", ")", "]", "}", "&&", "||"):
                raise _UnknownSyntaxError
            self._next()
            depth += token.is_mark("<") - token.is_mark(">")
            if not depth:
                return

    # Tokens

    def _skip_balanced(self) -> set[str]:
        """Skip brackets with their content; returns the names in it."""
        depth = 0
        names: set[str] = set()
        while True:
            token = self._next()
            names |= _names_in(token)
            if token.kind == "mark":
                depth += token.text in _BRACKETS
                depth -= token.text in _BRACKETS.values()
            if not depth:
                return names

    def _peek(self, offset: int = 0) -> Token:
        if self.position + offset >= len(self.tokens):
            if offset:
                return Token("other", "")
            raise _UnknownSyntaxError
        return self.tokens[self.position + offset]

    def _next(self) -> Token:
        token = self._peek()
        self.position += 1
        return token

    def _skip(self, mark: str) -> bool:
        if not self.at_end and self._peek().is_mark(mark):
            self.position += 1
            return True
        return False

    def _skip_word(self, word: str) -> bool:
        if not self.at_end and self._peek().is_word(word):
            self.position += 1
            return True
        return False

    def _mark(self, mark: str) -> None:
        if not self._skip(mark):
            raise _UnknownSyntaxError

    def _word(self, word: str) -> None:
        if not self._skip_word(word):
            raise _UnknownSyntaxError

    def _name(self) -> str:
        token = self._next()
        if token.kind != "word":
            raise _UnknownSyntaxError
        return token.text


def _plain_key(key: Expression) -> str | Expression:
    """Return a computed key that is a string literal as a plain key."""
    return key.value if isinstance(key, Literal) and isinstance(key.value, str) else key


def _is_optional(value: Expression) -> bool:
    """Whether a chain of members has optional parts; parentheses end it."""
    while isinstance(value, Member | Call):
        if isinstance(value, Member) and value.is_optional:
            return True
        value = value.object if isinstance(value, Member) else value.callee
    return isinstance(value, OptionalCall)


def _roots(value: Expression) -> frozenset[str]:
    """Return the name that a chain of members begins with."""
    while isinstance(value, Member | Call):
        value = value.object if isinstance(value, Member) else value.callee
    return frozenset({value.text} if isinstance(value, Name) else ())


def _names_in(token: Token) -> set[str]:
    if token.kind == "word":
        return {token.text}
    if token.kind == "template":
        return {inner.text for inner in tokenise(token.text) if inner.kind == "word"}
    return set()
