"""Generates sample entries that satisfy the rules of a content type.

Relations and media stay empty: they would have to refer to real content.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle, islice
from secrets import token_hex

from msgspec import Struct

from quire.clock import iso_from_ms
from quire.content_manager.entry_writes import EntryWriter
from quire.content_manager.publishing import EntryPublisher
from quire.content_manager.writable_fields import Body
from quire.database.program import Program
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    ScalarAttribute,
)
from quire.schema.model import AUTOMATIC_NAMES, Model, Schema

_WORDS = (
    "harbour", "morning", "paper", "window", "garden", "river", "letter", "market", "winter",
    "bridge", "music", "island", "kitchen", "summer", "mountain", "station", "evening", "street",
)  # fmt: skip
_DAY_MS = 86_400_000
_MAX_DEPTH = 4
_COMPONENT_COUNT = 2
_LONGEST_SENTENCE = 12


class SampleBatch(Struct, frozen=True, kw_only=True):
    """How many entries to create, in which locale, and whether they are published."""

    bodies: tuple[Body, ...]
    locale: str | None
    publish: bool

    def program(self, writing: EntryWriter, publishing: EntryPublisher) -> Program[list[str]]:
        """Create all entries or none; returns the ids of the documents."""
        document_ids: list[str] = []
        for body in self.bodies:
            if self.publish:
                response = yield from publishing.publish_new(body, self.locale)
                document_ids.append(str(response["data"]["documentId"]))
            else:
                command = yield from writing.creation(body, self.locale)
                document_ids += [
                    entry.document_id for entry in (yield from writing.perform(command))
                ]
        return document_ids


class SampleValues:
    """Generates values for entries of a schema."""

    def __init__(self, schema: Schema, now: int) -> None:
        """Dates are days before ``now``, in milliseconds."""
        self._schema = schema
        self._now = now

    def entry(self, model: Model, number: int, depth: int = 0) -> dict[str, object]:
        """Return the values of entry ``number``, from one, of a content type or component."""
        values: dict[str, object] = {}
        for attribute in model.attributes.values():
            if attribute.name in AUTOMATIC_NAMES or not attribute.writable:
                continue
            value = self._value(attribute, number, depth)
            if value is not None:
                values[attribute.name] = value
        return values

    def _value(self, attribute: Attribute, number: int, depth: int) -> object:
        match attribute:
            case ScalarAttribute():
                make = _GENERATORS.get(attribute.type.name)
                return None if make is None else make(_SampleField(attribute, number, self._now))
            case ComponentAttribute():
                return self._components(attribute, number, depth)
            case DynamicZoneAttribute():
                parts = self._parts(attribute.components, attribute, number, depth)
                return [{"__component": uid, **values} for uid, values in parts] or None
            case _:
                return None

    def _components(self, attribute: ComponentAttribute, number: int, depth: int) -> object:
        if not attribute.repeatable:
            parts = [*islice(self._parts([attribute.component], attribute, number, depth), 1)]
            return parts[0][1] if parts else None
        return [
            value for _, value in self._parts([attribute.component], attribute, number, depth)
        ] or None

    def _parts(
        self, uids: list[str] | tuple[str, ...], attribute: Attribute, number: int, depth: int
    ) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield as many components as the attribute requires, two by default."""
        if depth >= _MAX_DEPTH or not uids:
            return
        minimum, maximum = _limit(attribute, "min", 0), _limit(attribute, "max", _COMPONENT_COUNT)
        count = int(max(minimum, min(_COMPONENT_COUNT, maximum), 1))
        for index, uid in enumerate(islice(cycle(uids), count)):
            yield uid, self.entry(self._schema.components[uid], number + index, depth + 1)


class _SampleField(Struct, frozen=True):
    """An attribute of one entry, for which a value is generated."""

    attribute: ScalarAttribute
    number: int
    now: int

    @property
    def label(self) -> str:
        """The name of the attribute in words: ``releaseDate`` is "Release date"."""
        words = re.sub(r"([a-z0-9])([A-Z])|_", r"\1 \2", self.attribute.name).split()
        return " ".join(words).capitalize()

    @property
    def unique_suffix(self) -> str:
        """The suffix that makes a value unique."""
        return f" {token_hex(4)}" if self.attribute.unique else ""

    def words(self, count: int) -> str:
        """Return words that differ from entry to entry."""
        start = self.number * 5 % len(_WORDS)
        return " ".join(islice(cycle(_WORDS), start, start + count))

    def fitted(self, text: str) -> str | None:
        """Return a text of an allowed length; ``None`` if the attribute has a pattern."""
        if self.attribute.raw.get("regex"):
            return None
        mark = self.unique_suffix
        min_length = int(_limit(self.attribute, "minLength", 0))
        max_length = int(_limit(self.attribute, "maxLength", 10_000))
        while len(text) + len(mark) < min_length:
            text = f"{text} {self.words(_LONGEST_SENTENCE)}"
        return f"{text[: max(0, max_length - len(mark))]}{mark}".strip()[:max_length]


def _limit(attribute: Attribute, option: str, otherwise: float) -> float:
    value = attribute.raw.get(option)
    return float(value) if isinstance(value, int | float | str) and value != "" else otherwise


def _string(sample: _SampleField) -> object:
    return sample.fitted(f"{sample.label} {sample.number}")


def _text(sample: _SampleField) -> object:
    return sample.fitted(f"{sample.words(_LONGEST_SENTENCE).capitalize()}.")


def _blocks(sample: _SampleField) -> object:
    text = f"{sample.words(_LONGEST_SENTENCE).capitalize()}."
    return [{"type": "paragraph", "children": [{"type": "text", "text": text}]}]


def _email(sample: _SampleField) -> object:
    return f"sample{sample.number}-{token_hex(3)}@example.org"


def _password(sample: _SampleField) -> object:
    # Nobody would know the password: an entry has one only if it is required.
    return sample.fitted(f"Aa1{token_hex(8)}") if sample.attribute.required else None


def _uid(sample: _SampleField) -> object:
    return f"sample-{sample.number}-{token_hex(3)}"


def _integer(sample: _SampleField) -> int:
    minimum = _limit(sample.attribute, "min", 0)
    maximum = _limit(sample.attribute, "max", max(minimum, 0) + 10_000)
    if sample.attribute.unique:
        return int(minimum) + int(token_hex(6), 16) % (int(maximum - minimum) + 1)
    return int(min(maximum, minimum + sample.number))


def _fraction(sample: _SampleField) -> object:
    maximum = _limit(sample.attribute, "max", float("inf"))
    return min(maximum, _integer(sample) + 0.5)


def _boolean(sample: _SampleField) -> object:
    return sample.number % 2 == 1


def _choice(sample: _SampleField) -> object:
    choices = sample.attribute.raw.get("enum")
    if not isinstance(choices, list) or not choices:
        return None
    return choices[(sample.number - 1) % len(choices)]


def _moment(sample: _SampleField) -> int:
    return sample.now - sample.number * _DAY_MS


def _json(sample: _SampleField) -> object:
    return {"sample": sample.number}


_GENERATORS: Mapping[str, Callable[[_SampleField], object]] = {
    "string": _string,
    "text": _text,
    "richtext": _text,
    "blocks": _blocks,
    "email": _email,
    "password": _password,
    "uid": _uid,
    "integer": _integer,
    "biginteger": lambda sample: str(_integer(sample)),
    "float": _fraction,
    "decimal": _fraction,
    "boolean": _boolean,
    "date": lambda sample: iso_from_ms(_moment(sample))[:10],
    "time": lambda sample: f"{sample.number % 24:02}:30:00.000",
    "datetime": lambda sample: iso_from_ms(_moment(sample)),
    "timestamp": _moment,
    "enumeration": _choice,
    "json": _json,
}
