"""The requested renames that are still to be done.

A migration may be asked for twice: by several servers at once, or by one that did not hear how the
first time ended. What has its later name already is left alone then.
"""

from collections.abc import Iterator, Mapping

from quire.database.migration.schema_diff import MigrationConflictError
from quire.database.migration.schema_pair import Renames
from quire.schema.model import Model, Schema


def pending_renames(asked: Renames, before: Schema, after: Schema) -> Renames:
    """Return those of the renamings that lead from one schema to another.

    Attributes may be told under the later or the earlier uid of their model. Raises
    MigrationConflictError for what neither schema knows.
    """
    if before.version == after.version:
        return Renames()
    models = dict(_to_do(asked.models, _uids(before), _uids(after), ""))
    attributes = {}
    for told, names in asked.attributes.items():
        uid = _later(asked.models, told)
        will = _model(after, uid)
        was = _model(before, models.get(uid, uid))
        if will is None:
            message = f"{told} cannot have renamed attributes: the files have no such type"
            raise MigrationConflictError(message)
        known = frozenset[str]() if was is None else frozenset(was.attributes)
        attributes[uid] = dict(_to_do(names, known, frozenset(will.attributes), f"{uid}."))
    return Renames(
        models=models, attributes={uid: names for uid, names in attributes.items() if names}
    )


def _to_do(
    asked: Mapping[str, str], before: frozenset[str], after: frozenset[str], prefix: str
) -> Iterator[tuple[str, str]]:
    for later, earlier in asked.items():
        if later not in after:
            message = f"{prefix}{earlier} cannot become {later}: the files have no {prefix}{later}"
            raise MigrationConflictError(message)
        if earlier in before:
            yield later, earlier
        elif later not in before:
            message = f"{prefix}{earlier} cannot become {later}: there is no {prefix}{earlier}"
            raise MigrationConflictError(message)


def _later(models: Mapping[str, str], told: str) -> str:
    """Return the later uid of a model that may have been told by its earlier one."""
    return next((later for later, earlier in models.items() if earlier == told), told)


def _uids(schema: Schema) -> frozenset[str]:
    return frozenset(schema.content_types) | frozenset(schema.components)


def _model(schema: Schema, uid: str) -> Model | None:
    return schema.content_types.get(uid) or schema.components.get(uid)
