"""``uid``: a unique, URL-friendly name, often made from another attribute."""

from quire.javascript.regular_expressions import compile_pattern
from quire.schema.attributes.base import (
    AttributeType,
    ScalarAttribute,
    SearchMode,
    StorageKind,
    build_scalar,
    name_option,
    object_option,
)
from quire.schema.attributes.json_schema import JsonForm, JsonSchema, Pointers
from quire.schema.attributes.text import (
    LENGTHS,
    TEXT_FORM,
    limits,
    matching,
    pattern_option,
    text_acceptance,
    text_rules,
)
from quire.schema.attributes.validation import ValueRules

URL_FRIENDLY = "^[A-Za-z0-9-_.~]*$"
"""The pattern of text that can stand in a URL as it is."""


def accept_uid(attribute: ScalarAttribute) -> ValueRules:
    """Accept text that needs no escaping in a URL, or that the schema file's pattern matches.

    The latter is checked twice, as for every text and again instead of the usual one: Strapi
    reports a mismatch twice.
    """
    own_pattern = attribute.raw.get("regex")
    pattern = compile_pattern(own_pattern if isinstance(own_pattern, str) else URL_FRIENDLY)
    friendly = matching(pattern, empty_passes=False)
    return text_acceptance(limits(attribute.raw), [*text_rules(attribute), friendly])


def _written(attribute: ScalarAttribute, pointers: Pointers) -> JsonSchema:
    return {"pattern": URL_FRIENDLY, **TEXT_FORM.request(attribute, pointers)}


UID = AttributeType(
    name="uid",
    build=build_scalar,
    json=JsonForm(
        response=TEXT_FORM.response, request=_written, published_only=TEXT_FORM.published_only
    ),
    options={
        **LENGTHS,
        "regex": pattern_option,
        "targetField": name_option,
        "options": object_option,
    },
    storage=StorageKind.STRING,
    accept=accept_uid,
    search=SearchMode.TEXT,
    per_entry=True,
    unique=True,
)
