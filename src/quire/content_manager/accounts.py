"""Values of new end users that a form cannot choose."""

from collections.abc import Mapping

from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ApplicationError
from quire.query.operators import Predicate
from quire.query.plan import Comparison, PlanNode, ReadPlan
from quire.query.resolve import ResolvedRead
from quire.schema.model import USER_UID

EMAIL_TAKEN = "Email already taken"
_LOCAL = "local"


def new_account(engine: WriteEngine, data: Mapping[str, object]) -> Program[dict[str, object]]:
    """Return the data of a new account: one that signs in with a password, by a small e-mail.

    Raises ApplicationError for an e-mail that somebody has.
    """
    email = str(data.get("email") or "").lower()
    here = Comparison("email", Predicate.EQUALS, (0,))
    plan = ReadPlan(root=PlanNode(uid=USER_UID, fields=("id",), filter=here))
    found, _ = yield from engine.reads.planned(ResolvedRead(plan=plan, values=(email,))).entries()
    if found:
        raise ApplicationError(EMAIL_TAKEN)
    return {**data, "email": email, "provider": _LOCAL}
