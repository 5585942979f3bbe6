"""The attribute types: one module each, or per family, in one table."""

from collections.abc import Mapping
from types import MappingProxyType

from quire.schema.attributes.base import AttributeType
from quire.schema.attributes.blocks import BLOCKS
from quire.schema.attributes.boolean import BOOLEAN
from quire.schema.attributes.component import COMPONENT
from quire.schema.attributes.dynamic_zone import DYNAMIC_ZONE
from quire.schema.attributes.enumeration import ENUMERATION
from quire.schema.attributes.json import JSON
from quire.schema.attributes.media import MEDIA
from quire.schema.attributes.number import BIGINTEGER, DECIMAL, FLOAT, INTEGER
from quire.schema.attributes.password import PASSWORD
from quire.schema.attributes.relation import RELATION
from quire.schema.attributes.temporal import DATE, DATETIME, TIME, TIMESTAMP
from quire.schema.attributes.text import EMAIL, RICHTEXT, STRING, TEXT
from quire.schema.attributes.uid import UID

AttributeTypes = Mapping[str, AttributeType]
"""Attribute types by the name that schema files use."""

ATTRIBUTE_TYPES: AttributeTypes = MappingProxyType(
    {
        type_.name: type_
        for type_ in (
            STRING,
            TEXT,
            RICHTEXT,
            BLOCKS,
            EMAIL,
            PASSWORD,
            UID,
            ENUMERATION,
            INTEGER,
            BIGINTEGER,
            FLOAT,
            DECIMAL,
            BOOLEAN,
            DATE,
            TIME,
            DATETIME,
            TIMESTAMP,
            JSON,
            MEDIA,
            RELATION,
            COMPONENT,
            DYNAMIC_ZONE,
        )
    }
)
"""Quire's own types. Loading takes the table as an argument, so that a project can add types."""
