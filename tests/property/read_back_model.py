"""Generated content types, attribute values, and the expected values in responses.

The only changes between what is sent and what is read are those of docs/api/attributes.md and
docs/postgresql.md; `read_back` has one case for each of them.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from hypothesis import strategies as st

from tests.unit.schema.trees import component_file, type_file

Json = dict[str, Any]
Options = Mapping[str, Any]
Values = st.SearchStrategy[Any]

LEAF, NODE, STRAY = "part.leaf", "part.node", "part.stray"
TARGET = "api::target.target"
LOCALES = ("en", "fr")
_LOCALIZED = {"i18n": {"localized": True}}
_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class GeneratedType:
    """A content type: its attributes as its schema file has them."""

    name: str
    attributes: Mapping[str, Options]
    single: bool
    drafts: bool
    localized: bool

    @property
    def uid(self) -> str:
        return f"api::{self.name}.{self.name}"

    @property
    def route(self) -> str:
        return self.name if self.single else f"{self.name}s"

    def is_shared(self, name: str) -> bool:
        """Tell whether all locales of a document have one value of an attribute."""
        options = self.attributes[name]
        if not self.localized or options["type"] in {"relation", "uid"}:
            return False
        return "pluginOptions" not in options


@dataclass(frozen=True, slots=True)
class GeneratedModel:
    """Content types, and the components that they use."""

    types: tuple[GeneratedType, ...]
    components: Mapping[str, Mapping[str, Options]]

    def files(self) -> list[dict[str, Mapping[str, object]]]:
        """Return the schema files, by path."""
        made = [component_file(uid, options) for uid, options in self.components.items()]
        made.append(type_file("target", {"label": {"type": "string"}}))
        made += [
            type_file(
                one.name,
                one.attributes,
                kind="singleType" if one.single else "collectionType",
                options={"draftAndPublish": one.drafts},
                pluginOptions=_LOCALIZED if one.localized else {},
            )
            for one in self.types
        ]
        return made


def generate_model(seed: int) -> GeneratedModel:
    """Make content types of every attribute type, with options that depend on the seed."""
    chance = random.Random(seed)
    parts: dict[str, dict[str, Options]] = {
        LEAF: _scalars(chance),
        STRAY: {"name": {"type": "string"}},
        NODE: {
            "heading": {"type": "string"},
            "one": {"type": "component", "component": LEAF},
            "many": {"type": "component", "component": LEAF, "repeatable": True},
            "image": {"type": "media"},
            "images": {"type": "media", "multiple": True},
            "to": {"type": "relation", "relation": "manyToOne", "target": TARGET},
            "all": {"type": "relation", "relation": "manyToMany", "target": TARGET},
        },
    }
    described = (
        ("alpha", False, True, True),
        ("beta", False, False, False),
        ("gamma", True, True, True),
        ("delta", False, False, True),
    )
    types = tuple(
        GeneratedType(name, _attributes(chance, localized=localized), single, drafts, localized)
        for name, single, drafts, localized in described
    )
    return GeneratedModel(types, parts)


def _scalars(chance: random.Random) -> dict[str, Options]:
    """Describe one attribute of each type that has a column, with some of its options."""

    def maybe(**options: object) -> dict[str, object]:
        return {name: value for name, value in options.items() if chance.random() < 0.4}

    return {
        "string": {"type": "string", **maybe(maxLength=40, default="given")},
        "text": {"type": "text", **maybe(minLength=1)},
        "richtext": {"type": "richtext"},
        "email": {"type": "email"},
        "enumeration": {"type": "enumeration", "enum": ["a", "B b", "é"], **maybe(default="a")},
        "integer": {"type": "integer", **maybe(default=3, max=2**31 - 1)},
        "biginteger": {"type": "biginteger", **maybe(default="7")},
        "float": {"type": "float", **maybe(default=0.5)},
        "decimal": {"type": "decimal", **maybe(min=-(10**7))},
        "boolean": {"type": "boolean", **maybe(default=True)},
        "date": {"type": "date"},
        "time": {"type": "time"},
        "datetime": {"type": "datetime"},
        "timestamp": {"type": "timestamp"},
        "json": {"type": "json"},
        "blocks": {"type": "blocks"},
    }


def _attributes(chance: random.Random, *, localized: bool) -> dict[str, Options]:
    every: dict[str, Options] = {
        **_scalars(chance),
        "uid": {"type": "uid"},
        "serial": {"type": "string", "unique": True},
        "hidden": {"type": "string", "private": True},
        "image": {"type": "media"},
        "images": {"type": "media", "multiple": True},
        "to": {"type": "relation", "relation": "manyToOne", "target": TARGET},
        "all": {"type": "relation", "relation": "manyToMany", "target": TARGET},
        "one": {"type": "component", "component": NODE},
        "many": {"type": "component", "component": NODE, "repeatable": True, "max": 3},
        "zone": {"type": "dynamiczone", "components": [LEAF, NODE]},
    }
    if not localized:
        return every
    return {
        name: {**options, "pluginOptions": _LOCALIZED} if chance.random() < 0.6 else options
        for name, options in every.items()
    }


# What is sent ------------------------------------------------------------------------------------

_characters = st.characters(codec="utf-8", exclude_characters="\0")
_texts = st.one_of(
    st.text(_characters, max_size=20),
    st.sampled_from(
        [
            "",
            " ",
            "  padded  ",
            "\r\n\t",
            "e\u0301",
            "\u2028\ufeff\u200b",
            "\U0001f600" * 9,
            "<b>&'\"",
        ]
    ),
)
_long = st.sampled_from(["x" * 255, "é" * 255, "\U0001f600" * 127, "x" * 256, "x" * 5_000])
_wholes = st.one_of(
    st.integers(-10, 10),
    st.integers(-(2**31), 2**31 - 1),
    st.sampled_from(
        [2**31 - 1, -(2**31), 2**31, _EXACT, _EXACT + 1, 2**63 - 1, -(2**63), 2**63, 10**25, 0]
    ),
)
_numbers = st.one_of(
    st.integers(-1000, 1000),
    st.floats(-1e9, 1e9),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        [0.1 + 0.2, 0.005, 0.015, 1.005, 99_999_999.99, 99_999_999.995, 1e8, 1e300, 5e-324, -0.0]
    ),
    st.sampled_from(["7.5", "1e3", " 4 ", "0x1F", "-0.125"]),
)
_moments = st.one_of(
    st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z"),
    st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "+05:30"),
    st.integers(-(10**13), 10**13),
    st.sampled_from(
        [
            *("0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
            *("0001-01-01T00:00:00.000+14:00", "9999-12-31T23:59:59.999-12:00"),
            *("1969-12-31T23:59:59.999Z", "1883-11-18T12:00:00.000Z", "2024-02-29"),
            *(0, -1, 8_640_000_000_000_000, -8_640_000_000_000_000, 253_402_300_800_000),
        ]
    ),
)
_json = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**53), 2**53) | st.sampled_from([2**63 - 1, 2**64, 10**25]),
        st.floats(allow_nan=False, allow_infinity=False),
        _texts,
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
    max_leaves=10,
)
_whole_json = _json | st.sampled_from(
    [True, False, "5", "[1]", '"x"', "null", "plain", 0, "", [], {}, {"a": {"b": [None]}}]
)
_inline = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("text"), "text": _texts}, optional={"bold": st.booleans()}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("link"),
            "url": st.just("https://example.com/a?b=c"),
            "children": st.lists(
                st.fixed_dictionaries({"type": st.just("text"), "text": _texts}), min_size=1
            ),
        }
    ),
)
_blocks = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("paragraph"), "children": st.lists(_inline, min_size=1, max_size=3)}
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("heading"),
                "level": st.integers(1, 6),
                "children": st.lists(_inline, min_size=1, max_size=2),
            }
        ),
    ),
    min_size=1,
    max_size=3,
)
_scalar_values: dict[str, Values] = {
    "string": _texts | _long,
    "text": _texts | _long,
    "richtext": _texts | _long,
    "email": st.sampled_from(["a@example.com", "x" * 60 + "@" + "y" * 60 + ".com", "é@e.com", "a"])
    | st.just("x" * 60 + "@" + ".".join(["y" * 60] * 4) + ".com"),
    "uid": st.text("abcXYZ09-_.~", min_size=1, max_size=30) | _long,
    "enumeration": st.sampled_from(["a", "B b", "é"]),
    "integer": _wholes | st.sampled_from(["12", " 7 ", 1e3, "1e3"]),
    "biginteger": _wholes | _wholes.map(str) | st.sampled_from(["0012", "+5", "-0", 1e20]),
    "float": _numbers,
    "decimal": _numbers,
    "boolean": st.sampled_from([True, False, "true", "FALSE", 1, 0, "0"]),
    "date": st.dates().map(str)
    | st.sampled_from(["0001-01-01", "9999-12-31", "2024-02-29T23:00:00Z", "1582-10-10"]),
    "time": st.times().map(lambda moment: moment.isoformat(timespec="milliseconds"))
    | st.sampled_from(["00:00:00", "23:59:59.999", "09:30:00.5", "09:30:00.05"]),
    "datetime": _moments,
    "timestamp": _moments,
    "json": _whole_json,
    "blocks": _blocks,
}


class PayloadStrategies:
    """Strategies of request bodies; relations lead to ``targets``, media to ``files``."""

    def __init__(self, model: GeneratedModel, targets: Sequence[str], files: Sequence[int]) -> None:
        self._model = model
        self._targets = st.sampled_from([*targets])
        self._files = st.sampled_from([*files])
        self._components = {
            uid: self._some(attributes, most=4) for uid, attributes in _in_order(model.components)
        }
        self.of = {one.name: self._some(one.attributes, most=6) for one in model.types}

    def _some(self, attributes: Mapping[str, Options], most: int) -> Values:
        names = st.lists(st.sampled_from(sorted(attributes)), max_size=most, unique=True)
        return names.flatmap(
            lambda chosen: st.fixed_dictionaries(
                {name: self._value(attributes[name]) for name in chosen}
            )
        )

    def _component(self, uid: str) -> Values:
        # Looked up late: components refer to each other.
        return st.deferred(lambda: self._components[uid])

    def _value(self, options: Options) -> Values:
        match options["type"]:
            case "component" if options.get("repeatable"):
                return st.lists(self._component(options["component"]), max_size=3)
            case "component":
                return st.none() | self._component(options["component"])
            case "dynamiczone":
                return st.lists(
                    st.one_of(*(self._zone_item(uid) for uid in (LEAF, NODE))), max_size=3
                )
            case "media":
                many = st.lists(self._files, max_size=3, unique=True)
                return many if options.get("multiple") else st.none() | self._files
            case "relation" if options["relation"] == "manyToMany":
                return st.lists(self._targets, max_size=3, unique=True)
            case "relation":
                return st.none() | self._targets
            case type_:
                usual = _scalar_values[type_]
                return st.one_of(usual, usual, usual, st.none())

    def _zone_item(self, uid: str) -> Values:
        return self._component(uid).map(lambda item: {"__component": uid, **item})


def _in_order(
    components: Mapping[str, Mapping[str, Options]],
) -> Sequence[tuple[str, Mapping[str, Options]]]:
    return list(components.items())


# What is read ------------------------------------------------------------------------------------


def populate_of(model: GeneratedModel, attributes: Mapping[str, Options], at: str) -> list[str]:
    """Return the query parameters that populate everything below some attributes."""
    found: list[str] = []
    for name, options in attributes.items():
        here = f"{at}[{name}]"
        match options["type"]:
            case "media" | "relation":
                found.append(f"{here}=true")
            case "component":
                inner = model.components[options["component"]]
                below = populate_of(model, inner, f"{here}[populate]")
                found += below or [f"{here}=true"]
            case "dynamiczone":
                for uid in options["components"]:
                    below = populate_of(
                        model, model.components[uid], f"{here}[on][{uid}][populate]"
                    )
                    found += below or [f"{here}[on][{uid}]=true"]
            case _:
                pass
    return found


class ReadBack:
    """What a read returns for what was sent, on one kind of database."""

    def __init__(self, model: GeneratedModel, *, sqlite: bool) -> None:
        self._model = model
        self._sqlite = sqlite
        self._scalars: Mapping[str, Callable[[Any], Any]] = {
            "integer": lambda sent: int(float(sent)),
            "float": _number,
            "decimal": self._decimal,
            "biginteger": self._biginteger,
            "boolean": lambda sent: str(sent).lower() in {"true", "1"},
            "date": lambda sent: sent[:10],
            "time": _time,
            "datetime": _epoch_ms,
            "timestamp": _epoch_ms,
            "json": _json_value,
        }
        self._seen_scalars: Mapping[str, Callable[[Any], Any]] = {
            "biginteger": lambda seen: self._stored_whole(
                int(float(seen)) if "e" in seen else int(seen)
            ),
            "time": _time,
            "datetime": _epoch_ms,
            "timestamp": int,
            "json": as_doubles,
        }

    def entry(self, attributes: Mapping[str, Options], sent: Mapping[str, Any]) -> Json:
        """Return what an entry or component reads back as that was made of ``sent``."""
        return {
            name: self.value(options, sent[name]) if name in sent else self._unsent(options)
            for name, options in attributes.items()
        }

    def value(self, options: Options, sent: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return what a value of an attribute reads back as."""
        if sent is None:
            return None
        match options["type"]:
            case "component" if options.get("repeatable"):
                inner = self._model.components[options["component"]]
                return [self.entry(inner, item) for item in sent]
            case "component":
                return self.entry(self._model.components[options["component"]], sent)
            case "dynamiczone":
                return [self._zone_item(item) for item in sent]
            case type_:
                read = self._scalars.get(type_)
                return sent if read is None else read(sent)

    def _unsent(self, options: Options) -> Any:  # noqa: ANN401 - any JSON
        if options["type"] == "dynamiczone" or options.get("repeatable"):
            return []
        if options.get("multiple") or options.get("relation") == "manyToMany":
            return []
        return self.value(options, options.get("default"))

    def _zone_item(self, item: Mapping[str, Any]) -> Json:
        uid = item["__component"]
        return {"__component": uid, **self.entry(self._model.components[uid], item)}

    def _decimal(self, sent: object) -> float:
        number = _number(sent)
        if self._sqlite:
            return number
        return float(Decimal(repr(number)).quantize(Decimal("0.01"), ROUND_HALF_UP))

    def _biginteger(self, sent: object) -> int | float:
        # Digits are exact, a number is a double.
        return self._stored_whole(int(sent) if isinstance(sent, str) else int(float(str(sent))))

    def _stored_whole(self, number: int) -> int | float:
        exact = abs(number) <= _EXACT or not self._sqlite
        return number if exact else float(number)

    def seen_value(self, options: Options, seen: Any) -> Any:  # noqa: ANN401 - any JSON
        """Bring a value that was read into the form of `value`: ids alone, numbers as numbers."""
        if seen is None:
            return None
        match options["type"]:
            case "media":
                return [file["id"] for file in seen] if options.get("multiple") else seen["id"]
            case "relation" if isinstance(seen, list):
                return [entry["documentId"] for entry in seen]
            case "relation":
                return seen["count"] if "count" in seen else seen["documentId"]
            case "component" if options.get("repeatable"):
                return [
                    self.seen_entry(self._model.components[options["component"]], one)
                    for one in seen
                ]
            case "component":
                return self.seen_entry(self._model.components[options["component"]], seen)
            case "dynamiczone":
                return [
                    {
                        "__component": one["__component"],
                        **self.seen_entry(self._model.components[one["__component"]], one),
                    }
                    for one in seen
                ]
            case type_:
                read = self._seen_scalars.get(type_)
                return seen if read is None else read(seen)

    def counted_entry(self, attributes: Mapping[str, Options], values: Json) -> Json:
        """Return an entry of `entry` as forms show it: with the count of each relation."""
        return {name: self._counted(attributes[name], value) for name, value in values.items()}

    def _counted(self, options: Options, value: Any) -> Any:  # noqa: ANN401 - any JSON
        match options["type"]:
            case "relation" if isinstance(value, list):
                return len(value)
            case "relation":
                return int(value is not None)
            case "component" if value is not None:
                inner = self._model.components[options["component"]]
                if isinstance(value, list):
                    return [self.counted_entry(inner, one) for one in value]
                return self.counted_entry(inner, value)
            case "dynamiczone":
                return [self._counted_item(one) for one in value]
            case _:
                return value

    def _counted_item(self, item: Json) -> Json:
        uid = item["__component"]
        values = {name: value for name, value in item.items() if name != "__component"}
        return {"__component": uid, **self.counted_entry(self._model.components[uid], values)}

    def seen_entry(self, attributes: Mapping[str, Options], seen: Json) -> Json:
        """Bring an entry or component that was read into the form of `entry`."""
        return {
            name: self.seen_value(options, seen[name])
            for name, options in attributes.items()
            if name in seen
        }


def _json_value(sent: object) -> object:
    """Return JSON; text at its root is read as the JSON that it may be, but for a text."""
    found = sent
    if isinstance(sent, str):
        try:
            found = json.loads(sent)
        except ValueError:
            return sent
    return sent if isinstance(found, str) else as_doubles(found)


def _time(text: str) -> str:
    return text[:8] + "." + text[9:].ljust(3, "0")


def as_doubles(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return JSON with whole numbers beyond 2^53 as the nearest double."""
    match value:
        case dict():
            return {name: as_doubles(inner) for name, inner in value.items()}
        case list():
            return [as_doubles(inner) for inner in value]
        case int() if abs(value) > _EXACT:
            return float(value)
        case _:
            return value


def _number(sent: Any) -> float:  # noqa: ANN401 - any JSON
    if isinstance(sent, str) and sent.strip().lower().startswith("0x"):
        return float(int(sent.strip(), 16))
    return float(sent)


_START = datetime(1970, 1, 1, tzinfo=UTC)


def _epoch_ms(moment: Any) -> int:  # noqa: ANN401 - any JSON
    """Return epoch milliseconds of a moment; years of more than four digits begin with a sign."""
    if isinstance(moment, int | float):
        return int(moment)
    year, rest = _split_year(moment)
    if len(rest) == len("-02-29"):
        rest += "T00:00:00.000Z"
    # Years repeat after 400, which datetime does not know beyond 9999 and before 1.
    cycles, within = divmod(year - 2000, 400)
    known = datetime.fromisoformat(f"{within + 2000:04}{rest.replace('Z', '+00:00')}")
    days = round((known - _START).total_seconds() * 1000)
    return days + cycles * 146_097 * 86_400_000


def _split_year(moment: str) -> tuple[int, str]:
    digits = 7 if moment[0] in "+-" else 4
    return int(moment[:digits]), moment[digits:]


def shown(value: object) -> str:
    """Return a value as short text, for messages."""
    return json.dumps(value, ensure_ascii=True, default=str)[:600]
