"""Checks the permission to attach a file to an entry that is named by its row id."""

from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility
from quire.access.administration import PUBLISH, UPDATE
from quire.content_manager.permissions import TypePermissions, covers
from quire.content_manager.read_plans import Planner
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.status import is_published
from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ForbiddenError
from quire.query.operators import Predicate
from quire.query.plan import Comparison, ReadPlan
from quire.query.resolve.scope import Slots


def require_attaching(
    engine: WriteEngine, ability: AdminAbility, uid: str, entry_id: int, field: str
) -> Program[None]:
    """Check that a principal may update an attribute of an entry.

    Published entries may be changed with the permission to publish. Raises ForbiddenError. A
    missing entry is no reason to refuse a principal who may update all of them.
    """
    content_type = engine.schema.content_types.get(uid)
    if content_type is None or not ability.allows(UPDATE, uid):
        raise ForbiddenError
    if ability.project_rules.narrow(uid, "find", "update", "publish"):
        # The request names the entry only by a row; a principal with restricted rules can name it
        # with the entry.
        raise ForbiddenError
    rights, planner, slots = (
        TypePermissions(ability, UPDATE, content_type),
        Planner(engine),
        Slots(),
    )
    here = Comparison("id", Predicate.IN, (slots.add([entry_id]),))
    root = replace(planner.version_node(rights), filter=here)
    found, _ = yield from planner.planned(ReadPlan(root=root), slots, ability).entries()
    if not found:
        if rights.row_filter(None) is not None:
            raise ForbiddenError
        return
    entry = found[0]
    if not covers(rights.require_on(entry_origin(entry)), field):
        raise ForbiddenError
    if content_type.draft_and_publish and is_published(entry):
        replace(rights, action=PUBLISH).require_on(entry_origin(entry))
