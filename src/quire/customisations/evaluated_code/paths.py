"""Members of the request and of the server that code may use, by their paths."""

LIVE = frozenset(
    {
        *(("ctx",), ("ctx", "request"), ("ctx", "state")),
        *(("policy",), ("policy", "request"), ("policy", "state")),
        *(("strapi",), ("strapi", "db"), ("strapi", "entityService"), ("strapi", "log")),
        *(("ctx", "state", "route"), ("ctx", "state", "route", "info")),
        *(("this",), ("super",), ("transaction",), ("process",), ("process", "env")),
    }
)
"""Objects of the server: only these members may be used, and they cannot be passed on."""

_ERROR_METHODS = frozenset(
    {
        *("badRequest", "unauthorized", "paymentRequired", "forbidden", "notFound", "conflict"),
        *("gone", "unprocessableEntity", "tooManyRequests", "internalServerError"),
        *("notImplemented", "badGateway", "serviceUnavailable"),
    }
)
CTX_METHODS = _ERROR_METHODS | {"throw", "send", "created", "set"}
"""Methods of the context."""

DATA = frozenset(
    {
        *(("ctx", "query"), ("ctx", "params"), ("ctx", "body"), ("ctx", "status")),
        *(("ctx", "method"), ("ctx", "request", "method"), ("policy", "params")),
        *(("ctx", "ip"), ("ctx", "request", "ip"), ("process", "env", "NODE_ENV")),
        *(("ctx", "state", "route", "info", "apiName"), ("ctx", "state", "route", "info", "type")),
        *(("ctx", "headers"), ("ctx", "header"), ("ctx", "request", "headers")),
        *(("ctx", "request", "header"), ("policy", "request", "header")),
        ("policy", "request", "headers"),
        *(("ctx", "request", "body"), ("ctx", "request", "query"), ("ctx", "request", "params")),
        *(("policy", "request", "body"), ("policy", "request", "query")),
        ("policy", "request", "params"),
    }
)
"""Members with plain values."""

SET = frozenset(
    {
        *(("ctx", "query"), ("ctx", "body"), ("ctx", "status"), ("ctx", "request", "body")),
    }
)
"""Members that may be set as a whole."""

SERVER_STATE = frozenset({"route", "session", "isAuthenticated", "userAbility", "_startTime"})
"""Members of the state that the server sets, and that are not known here."""

DOCUMENT_READS = frozenset({"findOne", "findFirst", "findMany", "count"})
DOCUMENT_WRITES = frozenset({"create", "update", "delete", "publish", "unpublish", "discardDraft"})
ROW_READS = frozenset({"findOne", "findMany", "count"})
ROW_WRITES = frozenset({"delete", "deleteMany"})
TRANSACTION_METHODS = frozenset({"commit", "rollback"})
ENTITY_METHODS = frozenset(
    {"findOne", "findMany", "findPage", "count", "create", "update", "delete"}
)
CONTROLLER_METHODS = frozenset(
    {"transformResponse", "sanitizeInput", "sanitizeOutput", "sanitizeQuery", "validateQuery"}
)
SERVICE_READS = frozenset({"find", "findOne"})
