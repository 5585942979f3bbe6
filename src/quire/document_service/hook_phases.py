"""The phases of one write that hooks take part in: before its data are validated, and after it."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from quire.access.ability import Unsanitized
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow
from quire.database.execute.prepared_read import Shown
from quire.database.program import LONG_COMPUTATION, Program
from quire.document_service.changes import note_change
from quire.document_service.commands import Data
from quire.document_service.content_types import writable_fields
from quire.document_service.hook_calls import call_hook
from quire.document_service.passwords import passwords_in
from quire.document_service.read_planner import Find
from quire.document_service.unit_of_work import UnitOfWork
from quire.hooks.document import Document, make_document
from quire.hooks.extensions import Hook, WriteHooks
from quire.hooks.write import Write, WriteAction
from quire.schema.attributes.base import ScalarAttribute

_IDENTITY = "documentId"
_REMOVING = frozenset({"delete", "unpublish"})
"""Actions after which nothing can be read: hooks get what was there before."""


def hooked_write(
    unit: UnitOfWork,
    layout: EntryLayout,
    action: WriteAction,
    *,
    document_id: str,
    locale: str | None,
    data: Data | None = None,
    source: EntryRow | None = None,
) -> "HookedWrite | None":
    """Return the write for the hooks, ``None`` if the type has no hooks for it.

    ``source`` is the entry that the action starts from.
    """
    hooks = unit.engine.extensions.writes.get((layout.model.uid, action))
    if hooks is None:
        return None
    write = Write[Document](
        uid=layout.model.uid,
        action=action,
        document_id=document_id,
        locale=locale,
        origin=tuple(map(str, unit.causes)),
        # A retry starts with the data of the request again.
        data=deepcopy(dict(data)) if isinstance(data, Mapping) else {},
        fields=writable_fields(layout),
    )
    return HookedWrite(unit, layout, hooks, write, data, source)


class HookedWrite:
    """One write of a type with hooks."""

    def __init__(
        self,
        unit: UnitOfWork,
        layout: EntryLayout,
        hooks: WriteHooks,
        write: Write[Document],
        data: Data | None,
        source: EntryRow | None,
    ) -> None:
        self._unit = unit
        self._layout = layout
        self._hooks = hooks
        self._write = write
        self._given = data
        self._source = source
        self._before: Shown | None = None

    def before(self) -> Program[Data]:
        """Call the hooks before the write; returns the data to write.

        Data that are not an object are left to validation, which rejects them.
        """
        if self._given is not None and not isinstance(self._given, Mapping):
            return self._given
        if self._source is not None:
            source = self._source
            names = self._hooks.needs_before()
            if self._write.action in _REMOVING:
                names |= self._hooks.kept()
            self._before = yield from self._load(
                names, source.document_id, source.locale, published=source.published
            )
        for hook in self._hooks.before:
            self._write.before = _view(hook, self._before)
            yield from call_hook(self._unit, hook, self._write)
        self._write.check_names(self._given or {})
        yield from self._hash_passwords()
        return self._write.data

    def after(self, *, published: bool | None) -> Program[None]:
        """Call the hooks after the write.

        ``published`` says which version was written; ``None`` if nothing is left.
        """
        write = self._write
        after: Shown | None = None
        needs = self._hooks.needs_after()
        if write.action not in _REMOVING:
            needs |= self._hooks.kept()
        if published is not None and (self._hooks.after or needs):
            after = yield from self._load(
                needs, write.document_id, write.locale, published=published
            )
        for hook in self._hooks.after:
            write.before = _view(hook, self._before)
            write.after = _view(hook, after)
            yield from call_hook(self._unit, hook, write)
        for listener in self._hooks.listeners:
            shown = self._before if write.action in _REMOVING else after
            note_change(self._unit, listener, write, shown)

    def _load(
        self, names: frozenset[str], document_id: str, locale: str | None, *, published: bool
    ) -> Program[Shown | None]:
        """Read fields of one version of a document."""
        if not names:
            return {_IDENTITY: document_id}
        attributes = self._layout.model.attributes
        scalars = [name for name in names if isinstance(attributes[name], ScalarAttribute)]
        relations = sorted(names.difference(scalars))
        find = Find(
            uid=self._layout.model.uid,
            fields=sorted({_IDENTITY, *scalars}),
            populate=relations or None,
            status="published" if published else "draft",
            locale=locale,
            ability=Unsanitized(),
        )
        return (yield from self._unit.engine.reads.one(find, document_id).first())

    def _hash_passwords(self) -> Program[None]:
        """Hash passwords that hooks have set; those of the caller were hashed before."""
        unit = self._unit
        found = passwords_in(unit.engine.schema, self._layout.model, self._write.data)
        missing = [password for password in found if password not in unit.hashed]
        if missing and unit.hash_password is not None:
            yield LONG_COMPUTATION
            hashed = {one: unit.hash_password(one.text, one.rounds) for one in missing}
            unit.hashed = {**unit.hashed, **hashed}


def _view(hook: Hook, shown: Mapping[str, Any] | None) -> Document | None:
    """Return an entry with only the fields that a hook needs."""
    if shown is None:
        return None
    names = (_IDENTITY, *hook.needs)
    loaded = {name: shown[name] for name in names if name in shown}
    return make_document(hook.document, loaded)
