"""Describes sign-in, passwords, sessions and providers of end users."""

from quire.openapi.content.endpoint import DescriptionContext, Table
from quire.openapi.operations import (
    DescribedOperation,
    DescribedParameter,
    DescribedResponse,
    json_body,
    path_parameter,
)
from quire.openapi.schemas import FLAG, FREE_OBJECT, MOMENT, TEXT, any_of, record, several
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.model import USER_UID

_TAG = "Accounts"
_FILLED: JsonSchema = {"type": "string", "minLength": 1}
_EMAIL: JsonSchema = {"type": "string", "format": "email"}
_PASSWORD: JsonSchema = {"type": "string", "format": "password", "minLength": 6}
_DEVICE: JsonSchema = {"type": "string", "maxLength": 255}
_DONE = DescribedResponse(schema=record({"ok": {"const": True}}))
_ELSEWHERE = DescribedResponse(
    status=302,
    description="Leads a browser on.",
    schema=TEXT,
    media_type="text/plain",
    headers={"Location": "Where to."},
)
_PROVIDER = path_parameter("provider", description="Name of the provider, such as `google`.")
_LIMITED = (400, 401, 403, 429)
_TEXT_MEMBERS = {"code": _FILLED, "password": _PASSWORD, "passwordConfirmation": _FILLED}


def _user(describing: DescriptionContext) -> JsonSchema:
    return describing.models.document(USER_UID)


def _tokens(describing: DescriptionContext) -> JsonSchema:
    """Return the reference to the response of a sign-in."""
    members: dict[str, JsonSchema] = {"jwt": TEXT}
    if describing.facts.refreshes:
        members["refreshToken"] = {**TEXT, "description": "Absent where a cookie holds it."}
    required = ("jwt", "user")
    signed_in = record({**members, "user": _user(describing)}, required=required)
    return describing.schemas.shared("SignedIn", signed_in)


def _device(describing: DescriptionContext) -> dict[str, JsonSchema]:
    return {"deviceId": _DEVICE} if describing.facts.refreshes else {}


def _signed_in(describing: DescriptionContext) -> DescribedResponse:
    return DescribedResponse(schema=_tokens(describing), description="A token, and whose it is.")


def _local(describing: DescriptionContext) -> DescribedOperation:
    credentials = {"identifier": {**_FILLED, "description": "Name or e-mail."}, "password": _FILLED}
    form = record({**credentials, **_device(describing)}, required=[*credentials])
    return DescribedOperation(
        id="signIn",
        summary="Sign in with a name and a password",
        tag=_TAG,
        body=json_body(form),
        responses=[_signed_in(describing)],
        errors=_LIMITED,
    )


def _register(describing: DescriptionContext) -> DescribedOperation:
    usual: dict[str, JsonSchema] = {
        "username": {"type": "string", "minLength": 3},
        "email": _EMAIL,
        "password": _PASSWORD,
    }
    user = describing.models.schema.content_types[USER_UID]
    written = describing.models.writable(user)
    more = {name: written[name] for name in describing.facts.register_fields if name in written}
    form = record({**more, **usual}, required=[*usual], closed=True)
    unconfirmed = describing.schemas.shared(
        "Unconfirmed", record({"user": _user(describing)}, closed=True)
    )
    made = DescribedResponse(
        schema=any_of(_tokens(describing), unconfirmed),
        description="The user, with a token unless the e-mail has to be confirmed first.",
    )
    return DescribedOperation(
        id="register",
        summary="Make an account",
        tag=_TAG,
        body=json_body(form),
        responses=[made],
        errors=_LIMITED,
    )


def _change_password(describing: DescriptionContext) -> DescribedOperation:
    members = {
        "currentPassword": _FILLED,
        "password": _PASSWORD,
        "passwordConfirmation": _FILLED,
    }
    return DescribedOperation(
        id="changePassword",
        summary="Give oneself another password",
        tag=_TAG,
        body=json_body(record(members, closed=True)),
        responses=[_signed_in(describing)],
        errors=_LIMITED,
    )


def _forgot_password(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    return DescribedOperation(
        id="forgotPassword",
        summary="Ask for a mail with a code for another password",
        tag=_TAG,
        body=json_body(record({"email": _EMAIL}, closed=True)),
        responses=[_DONE],
        errors=_LIMITED,
    )


def _reset_password(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="resetPassword",
        summary="Set another password with a code from a mail",
        tag=_TAG,
        body=json_body(record(_TEXT_MEMBERS, closed=True)),
        responses=[_signed_in(describing)],
        errors=_LIMITED,
    )


def _confirm(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    return DescribedOperation(
        id="confirmEmail",
        summary="Show that an e-mail is one's own",
        tag=_TAG,
        parameters=[DescribedParameter(name="confirmation", schema=_FILLED, required=True)],
        responses=[_ELSEWHERE],
    )


def _send_confirmation(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    return DescribedOperation(
        id="sendEmailConfirmation",
        summary="Send the mail for that once more",
        tag=_TAG,
        body=json_body(record({"email": _EMAIL})),
        responses=[DescribedResponse(schema=record({"email": TEXT, "sent": FLAG}))],
        errors=_LIMITED,
    )


def _refresh(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    fresh = record({"jwt": TEXT, "refreshToken": TEXT}, required=("jwt",))
    return DescribedOperation(
        id="refresh",
        summary="Exchange a refresh token for fresh tokens",
        tag=_TAG,
        body=json_body(record({"refreshToken": TEXT}, required=()), required=False),
        responses=[DescribedResponse(schema=fresh)],
    )


def _logout(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    form = record(
        {"scope": {"const": "all"}, "deviceId": _DEVICE, "refreshToken": TEXT}, required=()
    )
    return DescribedOperation(
        id="signOut",
        summary="End this session, those of one device, or all",
        tag=_TAG,
        body=json_body(form, required=False),
        responses=[_DONE],
    )


def _sessions(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    session = record(
        {
            "id": {"type": ["integer", "string"]},
            "deviceId": TEXT,
            "deviceName": TEXT,
            "current": FLAG,
            "loginAt": MOMENT,
            "lastActiveAt": MOMENT,
        },
        required=("id", "current"),
    )
    return DescribedOperation(
        id="listSessions",
        summary="List the sessions of who asks",
        tag=_TAG,
        responses=[DescribedResponse(schema=record({"data": several(session)}))],
    )


def _revoke(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    return DescribedOperation(
        id="endSession",
        summary="End one of the sessions of who asks",
        tag=_TAG,
        parameters=[path_parameter("sessionId")],
        responses=[DescribedResponse(schema=record({"data": FREE_OBJECT}))],
        errors=(401, 403, 404),
    )


def _connect(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    return DescribedOperation(
        id="signInElsewhere",
        summary="Send a browser to a provider, to sign in there",
        tag=_TAG,
        parameters=[
            _PROVIDER,
            DescribedParameter(
                name="callback", schema=TEXT, description="The page on which it ends."
            ),
        ],
        responses=[_ELSEWHERE],
        errors=_LIMITED,
    )


def _connected(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    return DescribedOperation(
        id="comeBackFromElsewhere",
        summary="Take back a browser from a provider",
        tag=_TAG,
        parameters=[
            _PROVIDER,
            DescribedParameter(name="state", schema=TEXT),
            DescribedParameter(name="code", schema=TEXT),
        ],
        responses=[_ELSEWHERE],
        errors=_LIMITED,
    )


def _finish(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="finishSigningInElsewhere",
        summary="Get the token of a browser that came back from a provider",
        tag=_TAG,
        parameters=[_PROVIDER],
        responses=[_signed_in(describing)],
    )


SESSION_ROUTES: Table = {
    ("POST", "auth/refresh"): _refresh,
    ("POST", "auth/logout"): _logout,
    ("GET", "auth/sessions"): _sessions,
    ("DELETE", "auth/sessions/:sessionId"): _revoke,
}
"""Routes that exist only if there are sessions."""

ACCOUNT_ROUTES: Table = {
    ("POST", "auth/local"): _local,
    ("POST", "auth/local/register"): _register,
    ("POST", "auth/change-password"): _change_password,
    ("POST", "auth/forgot-password"): _forgot_password,
    ("POST", "auth/reset-password"): _reset_password,
    ("GET", "auth/email-confirmation"): _confirm,
    ("POST", "auth/send-email-confirmation"): _send_confirmation,
    ("GET", "connect/:provider"): _connect,
    ("GET", "connect/:provider/callback"): _connected,
    ("GET", "auth/:provider/callback"): _finish,
    **SESSION_ROUTES,
}
