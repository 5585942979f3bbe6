"""Generates payloads for the content types of a schema, mostly of the right form."""

from collections.abc import Sequence

from hypothesis import strategies as st

from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    RelationAttribute,
)
from quire.schema.model import ContentType, Model, Schema

Payload = st.SearchStrategy[object]

texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.sampled_from(
        [
            "", "abc", "A-1", "x@example.com", "2024-02-29", "2024-02-30", "12:30:00.000", "24:00",
            "2024-02-29T12:00:00.000Z", "9999999999999", "-1", "1e400", "true", "news", "red", "\0",
            "a" * 300, "\U0001f600", "__proto__", "$ref", "*", "' OR 1=1 --", "api::tag.tag",
        ]
    ),
)  # fmt: skip
numbers = st.one_of(
    st.integers(-5, 30),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, 1, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30, 1e308, -0.0]),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
fitting: dict[str, Payload] = {
    "string": st.sampled_from(["Ab", "Some words", "\U0001f600 words"]),
    "text": st.sampled_from(["Ab", "", "Some words"]),
    "richtext": st.sampled_from(["# Ab", "", "*b*"]),
    "uid": st.text("abc-", min_size=1, max_size=6),
    "email": st.sampled_from(["a@example.com", "b@example.com"]),
    "password": st.sampled_from(["secret-enough", "Abcdefg1"]),
    "enumeration": st.sampled_from(["news", "essay", "red", "green", "blue"]),
    "integer": st.integers(0, 5),
    "biginteger": st.integers(0, 2**63 - 1).map(str),
    "float": st.floats(0, 5),
    "decimal": st.integers(0, 5),
    "boolean": st.booleans(),
    "date": st.dates().map(str),
    "time": st.times().map(lambda moment: moment.isoformat(timespec="milliseconds")),
    "datetime": st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z"),
    "blocks": st.just(
        [{"type": "paragraph", "children": [{"type": "text", "text": "Some words"}]}]
    ),
}
"""Values that most attributes of a type take."""
keys = st.one_of(
    texts,
    st.sampled_from(
        [
            "id", "documentId", "__component", "__type", "connect", "disconnect", "set", "options",
            "position", "before", "after", "start", "end", "locale", "status", "type", "children",
            "text", "strict", "title", "name", "url", "data", "constructor", "__class__",
        ]
    ),
)  # fmt: skip
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
        | st.builds(lambda item, times: [item] * times, inner, st.integers(5, 60))
    ),
    max_leaves=8,
)
blocks = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(
                ["paragraph", "heading", "list", "quote", "code", "image", "x"]
            ),
            "children": st.lists(
                st.fixed_dictionaries(
                    {"type": st.sampled_from(["text", "link", "list-item", "x"])},
                    optional={"text": scalars, "url": scalars, "children": anything},
                )
                | anything,
                max_size=3,
            ),
        },
        optional={"level": scalars, "format": scalars, "image": anything, "language": scalars},
    ),
    max_size=3,
)
locales = st.sampled_from(["en", "fr", "de", "zz", "", "*", "e\0n"])


class Payloads:
    """Makes payloads for one schema; ``ids`` are document ids that relations may lead to."""

    def __init__(self, schema: Schema, ids: Sequence[str]) -> None:
        self._schema = schema
        self._ids = st.sampled_from([*ids, "zzzzzzzzzzzzzzzzzzzzzzzz", ""])
        self._uids = [*schema.components, "no.such", "api::tag.tag"]
        self._relations = self._make_relations()

    def of(self, content_type: ContentType) -> Payload:
        """Payloads for one content type; most of them name what it requires."""
        required = st.fixed_dictionaries(
            {
                attribute.name: fitting.get(attribute.type.name, anything)
                for attribute in content_type.own_attributes
                if attribute.required
            }
        )
        complete = st.builds(
            lambda base, entry: {**base, **entry}, required, self._entry(content_type, 2)
        )
        odd = st.dictionaries(keys, anything, max_size=3) | anything
        return self._mostly(complete, odd)

    def _entry(self, model: Model, depth: int) -> st.SearchStrategy[dict[str, object]]:
        """Some attributes with values, seldom with a key next to them."""
        own = {attribute.name: self._value(attribute, depth) for attribute in model.own_attributes}
        chosen = st.lists(st.sampled_from(sorted(own)), max_size=5, unique=True).flatmap(
            lambda names: st.fixed_dictionaries({name: own[name] for name in names})
        )
        stray = st.dictionaries(keys, scalars, max_size=1)
        return st.builds(
            lambda entry, more, odd: {**more, **entry} if odd else entry,
            chosen,
            stray,
            st.integers(0, 9).map(lambda chance: chance == 9),
        )

    def _value(self, attribute: Attribute, depth: int) -> Payload:
        match attribute:
            case ComponentAttribute(component=uid, repeatable=repeatable) if depth:
                item = self._item(self._schema.components[uid], depth, uid=None)
                items = st.lists(item, max_size=4)
                return self._mostly(items if repeatable else item, items | item | anything)
            case DynamicZoneAttribute(components=uids) if depth:
                items = st.one_of(
                    *(self._item(self._schema.components[uid], depth, uid=uid) for uid in uids)
                )
                stray = st.fixed_dictionaries({"__component": st.sampled_from(self._uids)})
                return self._mostly(st.lists(self._mostly(items, stray), max_size=4), anything)
            case RelationAttribute() | MediaAttribute():
                return self._relations
            case _:
                odd = st.one_of(scalars, scalars, blocks, anything)
                return self._mostly(fitting.get(attribute.type.name, anything), odd)

    def _item(self, component: Model, depth: int, *, uid: str | None) -> Payload:
        """A component, sometimes with an id that may be its own."""
        named = {} if uid is None else {"__component": uid}
        ids = st.none() | st.integers(1, 40) | scalars
        return st.builds(
            lambda entry, id_, chance: {**named, **entry, **({"id": id_} if chance == 0 else {})},
            self._entry(component, depth - 1),
            ids,
            st.integers(0, 5),
        )

    def _mostly(self, usual: Payload, odd: Payload) -> Payload:
        """The usual, nine times out of ten."""
        return st.integers(0, 9).flatmap(lambda chance: odd if chance == 9 else usual)

    def _make_relations(self) -> Payload:
        target = self._mostly(self._ids | st.integers(1, 9), scalars)
        position = st.dictionaries(
            st.sampled_from(["before", "after", "start", "end", "x"]), target, max_size=2
        )
        at_length = st.fixed_dictionaries(
            {},
            optional={
                "documentId": target,
                "id": target,
                "locale": locales | scalars,
                "status": st.sampled_from(["draft", "published", "x"]) | scalars,
                "position": position | anything,
                "__type": texts,
            },
        )
        some = target | at_length | st.lists(target | at_length, max_size=5)
        changes = st.fixed_dictionaries(
            {}, optional={"connect": some, "disconnect": some, "set": some, "options": anything}
        )
        return self._mostly(some | changes | st.none() | st.just([]), anything)
