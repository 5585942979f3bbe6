"""Reads what a JavaScript or TypeScript module exports, as far as that is plain data.

Plain data are literals, references to constants of the module that hold such, functions that do
nothing or only return such, calls of ``env``, and calls of the three core factories. A module with
anything else in it, be it one more statement or an import from elsewhere, is not plain: it holds
code, and :func:`read_module` says so by returning ``CODE``.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from quire.javascript.tokens import Token, tokenise

FACTORIES = frozenset({"createCoreController", "createCoreRouter", "createCoreService"})

_STRAPI = "@strapi/strapi"
_IMPORTABLE = FACTORIES | {"factories"}
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}


class Factory(Struct, frozen=True):
    """A call of a core factory."""

    name: str
    arguments: tuple[object, ...]


class EnvironmentVariable(Struct, frozen=True):
    """A call of ``env``: the value of a variable, or else a default."""

    name: str
    default: object


class EmptyFunction(Struct, frozen=True):
    """A function that does nothing."""


class Code(Struct, frozen=True):
    """Whatever is not plain data."""


CODE: Final = Code()


class _NotPlainError(Exception):
    """The module holds something that is not plain data."""


def read_module(source: str) -> object:
    """What a module exports, or :data:`CODE`.

    Objects are dictionaries, arrays are lists; a function that returns plain data stands for what
    it returns, since configuration and empty services are written that way.
    """
    try:
        return _Reader(tokenise(source)).module()
    except (_NotPlainError, RecursionError):
        return CODE


class _Reader(Struct):
    """Reads tokens from left to right; every method leaves the position behind what it read."""

    tokens: Sequence[Token]
    position: int = 0
    constants: dict[str, object] = field(default_factory=dict)

    def module(self) -> object:
        while not self._at_export():
            self._statement()
        exported = self._expression()
        self._skip(";")
        if self.position != len(self.tokens):
            raise _NotPlainError
        return exported

    def _at_export(self) -> bool:
        if self._peek().is_word("export"):
            self._words("export", "default")
            return True
        if self._peek().is_word("module"):
            self._words("module")
            self._mark(".")
            self._words("exports")
            self._mark("=")
            return True
        return False

    def _statement(self) -> None:
        first = self._next()
        if first.kind == "string" and first.text == "use strict":
            self._skip(";")
        elif first.is_word("import"):
            self._import()
        elif first.is_word("const"):
            self._constant()
        else:
            raise _NotPlainError

    def _import(self) -> None:
        is_of_types = self._peek().is_word("type")
        if is_of_types:
            self._next()
        names = self._imported_names()
        self._words("from")
        origin = self._string()
        self._skip(";")
        if not is_of_types and not (origin == _STRAPI and _IMPORTABLE.issuperset(names)):
            raise _NotPlainError

    def _imported_names(self) -> list[str]:
        if self._peek().kind == "word":
            return [self._next().text]
        return self._names_in_braces()

    def _names_in_braces(self) -> list[str]:
        self._mark("{")
        names = []
        while not self._peek().is_mark("}"):
            names.append(self._name())
            if not self._skip(","):
                break
        self._mark("}")
        return names

    def _constant(self) -> None:
        if self._peek().is_mark("{"):
            self._required_names()
            return
        name = self._name()
        if self._skip(":"):
            self._type("=")
        self._mark("=")
        self.constants[name] = self._expression()
        self._skip(";")

    def _required_names(self) -> None:
        names = self._names_in_braces()
        self._mark("=")
        self._require()
        if self._skip("."):
            self._words("factories")
        self._skip(";")
        if not _IMPORTABLE.issuperset(names):
            raise _NotPlainError

    def _require(self) -> None:
        self._words("require")
        self._mark("(")
        if self._string() != _STRAPI:
            raise _NotPlainError
        self._mark(")")

    def _expression(self) -> object:
        value = self._plain_value()
        self._skip("!")
        return value

    def _plain_value(self) -> object:
        token = self._next()
        if token.kind == "string":
            return token.text
        if token.kind == "number":
            return float(token.text) if "." in token.text else int(token.text)
        if token.is_mark("{"):
            return self._object()
        if token.is_mark("["):
            return self._array()
        if token.is_mark("("):
            self._parameters()
            return self._arrow()
        if token.kind == "word":
            return self._named(token.text)
        raise _NotPlainError

    def _named(self, word: str) -> object:
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if word == "env":
            return self._environment_variable()
        if word == "require":
            self.position -= 1
            self._require()
            self._mark(".")
            word = self._name()
        if word == "factories":
            self._mark(".")
            word = self._name()
        if word in FACTORIES:
            return Factory(word, tuple(self._arguments()))
        if word in self.constants:
            return self.constants[word]
        raise _NotPlainError

    def _environment_variable(self) -> EnvironmentVariable:
        if self._skip("."):
            self._name()
        match self._arguments():
            case [str() as name]:
                return EnvironmentVariable(name, None)
            case [str() as name, default]:
                return EnvironmentVariable(name, default)
            case _:
                raise _NotPlainError

    def _arguments(self) -> list[object]:
        self._mark("(")
        return self._values_until(")")

    def _array(self) -> list[object]:
        return self._values_until("]")

    def _values_until(self, end: str) -> list[object]:
        values = []
        while not self._skip(end):
            values.append(self._expression())
            if not self._skip(","):
                self._mark(end)
                break
        return values

    def _object(self) -> dict[str, object]:
        members: dict[str, object] = {}
        while not self._skip("}"):
            self._member(members)
            if not self._skip(","):
                self._mark("}")
                break
        return members

    def _member(self, members: dict[str, object]) -> None:
        key = self._next()
        if key.is_word("async") and self._peek().kind == "word":
            key = self._next()
        if key.kind not in {"word", "string"}:
            raise _NotPlainError
        if self._skip(":"):
            members[key.text] = self._expression()
        elif self._skip("("):
            self._parameters()
            self._mark("{")
            self._mark("}")
            members[key.text] = EmptyFunction()
        elif key.text in self.constants:
            members[key.text] = self.constants[key.text]
        else:
            raise _NotPlainError

    def _parameters(self) -> None:
        """Pass over parameters up to the closing bracket; a default value could hold code."""
        depth = 0
        while depth or not self._peek().is_mark(")"):
            token = self._next()
            if token.kind != "word" and not (token.kind == "mark" and token.text in "{}:,."):
                raise _NotPlainError
            depth += token.is_mark("{") - token.is_mark("}")
        self._mark(")")

    def _arrow(self) -> object:
        """What a function returns whose parameters have been read."""
        if self._skip(":"):
            self._type("=>")
        self._mark("=>")
        if self._skip("{"):
            self._mark("}")
            return EmptyFunction()
        self._mark("(")
        value = self._expression()
        self._mark(")")
        return value

    def _type(self, end: str) -> None:
        """Pass over a type made of names, up to the mark that follows it."""
        while not self._peek().is_mark(end):
            token = self._next()
            if token.kind != "word" and not token.is_mark("."):
                raise _NotPlainError

    def _peek(self) -> Token:
        if self.position >= len(self.tokens):
            raise _NotPlainError
        return self.tokens[self.position]

    def _next(self) -> Token:
        token = self._peek()
        self.position += 1
        return token

    def _skip(self, mark: str) -> bool:
        if self.position < len(self.tokens) and self.tokens[self.position].is_mark(mark):
            self.position += 1
            return True
        return False

    def _mark(self, mark: str) -> None:
        if not self._skip(mark):
            raise _NotPlainError

    def _words(self, *words: str) -> None:
        for word in words:
            if not self._next().is_word(word):
                raise _NotPlainError

    def _name(self) -> str:
        token = self._next()
        if token.kind != "word":
            raise _NotPlainError
        return token.text

    def _string(self) -> str:
        token = self._next()
        if token.kind != "string":
            raise _NotPlainError
        return token.text
