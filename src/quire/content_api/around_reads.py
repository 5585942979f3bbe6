"""Routes that read documents, with the functions of a project around the reads."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import Any

import msgspec
from msgspec.structs import replace

from quire.access.ability import narrow_for_call
from quire.content_api.envelope import respond_unless_known, tag_of
from quire.content_api.format_v4 import HEADER, VALUE
from quire.content_api.http_messages import NO_CONTENT, NOT_MODIFIED, Handler, Request, Response
from quire.content_api.routes import Route
from quire.database.execute.prepared_read import EntryJson
from quire.document_service.around_calls import ActionResult, call_around_read, narrowing_rule
from quire.document_service.service import DocumentService
from quire.document_service.transaction_context import CallContext
from quire.errors import NotFoundError, ValidationError
from quire.hooks.around import AroundCall, Call
from quire.hooks.document import Document
from quire.hooks.policies import ReadAction

_IF_NONE_MATCH = b"if-none-match"
_ACTIONS: Mapping[str, ReadAction] = {"find": "find", "findOne": "find_one", "count": "count"}
"""The actions of reads, by the last part of a permission."""
_NO_V4 = "The format of Strapi 4 is not available here: code of the project changes the documents"
_decode = msgspec.json.decode
_encode = msgspec.json.encode


class AroundReads:
    """Puts the functions of a project around the handlers of routes."""

    def __init__(self, documents: DocumentService) -> None:
        self._documents = documents
        self._engine = documents.engine
        self._functions_by_read = documents.engine.extensions.around

    def content_routes(self, routes: Iterable[Route]) -> list[Route]:
        """Return routes of the content API; those with functions around them call these."""
        return [self._content_route(route) for route in routes]

    def _content_route(self, route: Route) -> Route:
        uid, _, name = (route.action or "").rpartition(".")
        action = _ACTIONS.get(name) if route.method == "GET" else None
        if action is None or (uid, action) not in self._functions_by_read:
            return route

        async def respond(request: Request) -> Response:
            return await self.respond(request, uid, action, route.handler)

        return replace(
            route, handler=respond, is_immediate=False, runs_in_task=True, is_shared=False
        )

    async def respond(
        self, request: Request, uid: str, action: ReadAction, handler: Handler
    ) -> Response:
        """Respond to a request of the content API that ``handler`` reads documents for."""
        functions = self._functions_by_read.get((uid, action))
        if functions is None:
            return await handler(request)
        principal = request.principal
        context = CallContext("around", self._documents, principal)

        def narrow_request(condition: str, *, volatile: bool) -> Request:
            ability = narrow_for_call(principal.ability, uid, condition, volatile=volatile)
            narrowed_request = copy(request)
            narrowed_request.principal = replace(principal, ability=ability)
            return narrowed_request

        call = _call(action, uid, request.parameters.get("documentId"), request)
        return await self._respond(
            _Read(request, handler, narrow_request), functions, call, context
        )

    def admin_handler(self, handler: Handler, action: ReadAction) -> Handler:
        """Return a handler of the admin API that reads documents of the type ``:uid``."""
        if not self._functions_by_read:
            return handler

        async def respond(request: Request) -> Response:
            uid = request.parameters["uid"]
            functions = self._functions_by_read.get((uid, action))
            if functions is None:
                return await handler(request)
            administrator = request.administrator
            context = CallContext("around", self._documents, None, editor=administrator.id)

            def narrow_request(condition: str, *, volatile: bool) -> Request:
                ability = administrator.ability
                rules = ability.project_rules.with_condition(uid, condition, volatile=volatile)
                narrowed_request = copy(request)
                narrowed_request.administrator = replace(
                    administrator, ability=ability.narrowed(rules)
                )
                return narrowed_request

            call = _call(action, uid, request.parameters.get("id"), request)
            return await self._respond(
                _Read(request, handler, narrow_request), functions, call, context
            )

        return respond

    async def _respond(
        self,
        read: "_Read",
        functions: tuple[AroundCall, ...],
        call: Call[Document],
        context: CallContext,
    ) -> Response:
        engine = self._engine

        not_found_responses: list[Response] = []

        async def act(call: Call[Any], /, *, volatile: bool) -> ActionResult[Any]:
            outcome = await read.run(narrowing_rule(engine, call), volatile=volatile)
            if outcome.response.status == NO_CONTENT.status:
                not_found_responses.append(outcome.response)
                raise NotFoundError
            count = _decode(outcome.response.body) if call.action == "count" else None
            load = outcome.documents if count is None else _no_documents
            return ActionResult(call.action, outcome, load, count=count, document=Document)

        try:
            action_result = await call_around_read(functions, call, context, act, as_system=False)
        except NotFoundError:
            # Reads of end users respond like this where there is none.
            if not_found_responses:
                return not_found_responses[-1]
            raise
        outcome: _ReadResponse = action_result.value  # type: ignore[assignment]  # what `act` has put there
        if action_result.replaced is None:
            return outcome.response
        return await outcome.with_documents(action_result.replaced)


async def _no_documents() -> list[EntryJson]:
    return []


class _Read:
    """The read of a request. ``narrow_request`` returns the request of a narrowed call."""

    def __init__(
        self, request: Request, handler: Handler, narrow_request: Callable[..., Request]
    ) -> None:
        self._request = request
        self._handler = handler
        self._narrow_request = narrow_request

    async def run(self, condition: str | None, *, volatile: bool) -> "_ReadResponse":
        """Respond to the request, with a condition or without."""
        request = self._request
        if condition is not None:
            request = self._narrow_request(condition, volatile=volatile)
        return _ReadResponse(request, self._handler, await self._handler(request))


class _ReadResponse:
    """The response to a read: its bytes, decoded to documents on demand."""

    def __init__(self, request: Request, handler: Handler, response: Response) -> None:
        self._request = request
        self._handler = handler
        self.response = response

    async def documents(self) -> list[EntryJson]:
        """Return the documents of the response. Raises ValidationError for the v4 format."""
        data, _ = _find_documents(_decode((await self._full_response()).body))
        return data if isinstance(data, list) else [data]

    async def with_documents(self, documents: Sequence[EntryJson]) -> Response:
        """Return the response with other documents. Raises ValidationError for the v4 format."""
        response = await self._full_response()
        body = _decode(response.body)
        data, member = _find_documents(body)
        is_list = isinstance(data, list)
        if not is_list and len(documents) != 1:
            message = f"the response has one document, not {len(documents)}"
            raise ValueError(message)
        new_data = documents if is_list else documents[0]
        text = _encode(new_data if member is None else {**body, member: new_data})
        tag = tag_of(text) if is_list and response.tag is not None else response.tag
        changed = Response(response.status, text, response.content_type, response.headers, tag=tag)
        # The tag of one document does not depend on what the function has changed.
        return respond_unless_known(changed, self._request.headers) if is_list else changed

    async def _full_response(self) -> Response:
        """Return the response with its body, also where the client has that already."""
        if self._request.headers.get(HEADER) == VALUE:
            raise ValidationError(_NO_V4)
        if self.response.status != NOT_MODIFIED:
            return self.response
        full_request = copy(self._request)
        headers = self._request.headers.items()
        full_request.headers = {name: value for name, value in headers if name != _IF_NONE_MATCH}
        return await self._handler(full_request)


def _find_documents(body: Any) -> tuple[Any, str | None]:  # noqa: ANN401 - JSON
    """Return a document or a list of them in a body, and the name of the member that holds it.

    Raises TypeError for a body without documents.
    """
    member = None
    if isinstance(body, dict):
        member = next((name for name in ("results", "data") if name in body), None)
    documents = body if member is None else body[member]
    if not isinstance(documents, list | dict):
        message = "the response to this request has no documents"
        raise TypeError(message)
    return documents, member


def _call(
    action: ReadAction, uid: str, document_id: str | None, request: Request
) -> Call[Document]:
    locale = request.query.get("locale")
    return Call(
        action=action,
        uid=uid,
        document_id=document_id,
        locale=locale if isinstance(locale, str) else None,
        query=request.query,
    )
