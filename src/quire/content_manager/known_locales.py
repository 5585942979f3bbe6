"""The locales of a project: what is written is in one of them."""

from collections.abc import Sequence

from quire.database.program import Program
from quire.documents.unit import Engine
from quire.errors import ApplicationError
from quire.query.plan import PlanNode, ReadPlan
from quire.query.resolve import ResolvedRead
from quire.schema.model import LOCALE_UID, ContentType

UNKNOWN = "This locale doesn't exist"


def require_locales(
    engine: Engine, content_type: ContentType, locales: Sequence[str | None]
) -> Program[None]:
    """Demand that locales are those of the project. Raises ApplicationError for another one."""
    if not content_type.localized or all(code == engine.default_locale for code in locales):
        return
    plan = ReadPlan(root=PlanNode(uid=LOCALE_UID, fields=("code",)))
    found, _ = yield from engine.reads.planned(ResolvedRead(plan=plan, values=())).entries()
    known = {row["code"] for row in found}
    if any(code is not None and code not in known for code in locales):
        raise ApplicationError(UNKNOWN)
