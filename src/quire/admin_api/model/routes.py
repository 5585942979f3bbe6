"""The routes of the content-type builder."""

from collections.abc import Iterator
from functools import wraps
from itertools import chain

from msgspec.structs import replace

from quire.admin_api.model.planning import ModelPlanningApi
from quire.admin_api.model.reading import ModelReadingApi
from quire.admin_api.model.writing import STATUS_PATH, ModelWritingApi
from quire.builder.apply import ModelEditor
from quire.content_api.messages import Handler, Request, Response
from quire.content_api.routes import Route
from quire.database.migration.archive import ModelArchive


def model_routes(remodeller: ModelEditor, kept: ModelArchive) -> Iterator[Route]:
    """Yield the routes by which administrators see and change the model."""
    for route in chain(
        ModelReadingApi(remodeller.schema).routes(),
        ModelWritingApi(remodeller).routes(),
        ModelPlanningApi(remodeller, kept).routes(),
    ):
        if route.path == STATUS_PATH:
            yield route  # of this process only
        else:
            yield replace(route, handler=_by_the_present_model(remodeller, route.handler))


def _by_the_present_model(remodeller: ModelEditor, handler: Handler) -> Handler:
    """Call a handler only if no other process has changed the model.

    Otherwise the response is left to the new schema: a client that has just changed something sees
    the change in every process.
    """

    @wraps(handler)
    async def response(request: Request) -> Response:
        await remodeller.require_present()
        return await handler(request)

    return response
