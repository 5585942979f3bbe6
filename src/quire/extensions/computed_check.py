"""Checks functions that are marked as computed fields."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from quire.extensions.mark_check import MarkCheck
from quire.hooks.computed import ComputedField, ComputedMark
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.model import USER_UID, ContentType


class ComputedCheck(MarkCheck[ComputedMark]):
    """The check of one mark."""

    def fields(self) -> list[ComputedField]:
        """Return a field for each content type; none of them counts when there are problems."""
        mark = self.mark
        self.check_signature(["the documents" if mark.batch is True else "the document"])
        for option in ("batch", "default", "volatile"):
            if not isinstance(getattr(mark, option), bool):
                self.report(f"{option} must be True or False, not {getattr(mark, option)!r}")
        if inspect.iscoroutinefunction(self.function) and not mark.batch:
            self.report(f"{self.name} is an async def: use batch=True, which asks once a page")
        json_schema = self._json_schema()
        needs, reveals = self.names(mark.needs, "needs"), self.names(mark.reveals, "reveals")
        types = self.types()
        for content_type in types:
            self.check_fields(content_type, needs)
            for problem in self._type_problems(content_type, needs, reveals):
                self.report(problem)
        return [
            ComputedField(
                uid=content_type.uid,
                name=self.name,
                function=self.function,  # type: ignore[arg-type]  # its signature was checked
                needs=tuple(dict.fromkeys(("documentId", *needs))),
                reveals=tuple(reveals),
                batch=mark.batch,
                default=mark.default,
                volatile=mark.volatile,
                json_schema=json_schema,
                file=self.file,
                line=self.line,
                document=self.document(),
            )
            for content_type in types
        ]

    def _type_problems(
        self, content_type: ContentType, needs: Sequence[str], reveals: Sequence[str]
    ) -> Iterator[str]:
        if content_type.uid == USER_UID:
            yield "end users have no computed fields"
        if self.name in content_type.attributes:
            yield f'{content_type.uid} has an attribute "{self.name}" already'
        for name in reveals:
            if name not in needs:
                yield f'the field "{name}" in reveals is not in needs'
        for name in needs:
            attribute = content_type.attributes.get(name)
            if attribute is None:
                continue
            if not isinstance(attribute, ScalarAttribute):
                yield f'the field "{name}" in needs is no value of the document itself'
            elif attribute.private and name not in reveals:
                yield f'the field "{name}" in needs is private: name it in reveals, too'

    def _json_schema(self) -> Mapping[str, Any]:
        """Return the form of the values, by the annotation of what the function returns."""
        if not inspect.isfunction(self.function):
            return {}
        try:
            hint = get_type_hints(self.function).get("return")
        except Exception as error:  # noqa: BLE001 - an annotation may be any expression
            self.report(f"an annotation cannot be evaluated: {type(error).__name__}: {error}")
            return {}
        if self.mark.batch is True:
            arguments = get_args(hint)
            is_list = get_origin(hint) in {list, Sequence} and len(arguments) == 1
            hint = arguments[0] if is_list else None
        if hint is None or hint is type(None):
            example = "list[int]" if self.mark.batch is True else "int"
            self.report(f"{self.name} needs a type of what it returns, such as -> {example}")
            return {}
        try:
            found = msgspec.json.schema(hint)
        except TypeError as error:
            self.report(f"{self.name} returns what no response can show: {error}")
            return {}
        if "$ref" in str(found):
            self.report(f"{self.name} must return plain values, lists or dicts, not {hint!r}")
        return found
