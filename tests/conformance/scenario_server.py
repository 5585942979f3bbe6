"""Serves the recorded project for recorded scenarios, each of which begins with the recorded rows.

Most of what a scenario costs is to copy a database and to start an application on it. So several
scenarios have the same one, and between them another connection restores the rows: what an
application has cached of them has to be forgotten then.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from quire.app import Application, build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.databases.kind import RowSnapshot
from tests.databases.kinds import kind_of

START_MS = 1_798_761_600_000  # 2027-01-01T00:00:00Z, later than anything in the recorded project
STEP_MS = 20
PAUSE_MS = 3_600_000
"""How much time passes between scenarios, so that limits of calls start anew."""


class Clock:
    """A clock that is stopped during a request, so that results do not depend on speed."""

    def __init__(self) -> None:
        self.now = START_MS

    def __call__(self) -> int:
        return self.now


class TickingClient(AsgiClient):
    """Lets time pass before each request: more than recorded moments that are one lie apart."""

    def __init__(self, app: Application, clock: Clock) -> None:
        super().__init__(app)
        self.application = app
        self.clock = clock

    async def request(
        self,
        method: str,
        raw_target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ClientResponse:
        self.clock.now += STEP_MS
        return await super().request(method, raw_target, headers, body)

    async def idle(self) -> None:
        """Wait until nothing is left to be done in the background."""
        services = self.application.services
        assert services is not None
        await services.services.background_tasks.close(10)


class ScenarioServer:
    """Serves a project by as many applications as are asked for, which share a database."""

    def __init__(self, project: Path, applications: int = 1) -> None:
        """Nothing is started before the first scenario."""
        self._project = project
        self._count = applications
        self._running = AsyncExitStack()
        self._clients: Sequence[TickingClient] = ()
        self._snapshot: RowSnapshot | None = None

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Sequence[TickingClient]]:
        """Begin a scenario with the recorded rows; gives a client of each application.

        After a scenario that failed the next one has applications of its own.
        """
        snapshot = self._snapshot or await self._start()
        try:
            yield self._clients
            for client in self._clients:
                await client.idle()
                client.clock.now += PAUSE_MS
            snapshot.restore()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Stop the applications."""
        self._snapshot = None
        await self._running.aclose()

    async def _start(self) -> RowSnapshot:
        kind = kind_of(self._project)
        database = self._running.enter_context(kind.borrow(self._project))
        applications = apps_on(database, self._project, self._count)
        self._clients = await self._running.enter_async_context(applications)
        self._snapshot = kind.snapshot(database)
        self._running.callback(self._snapshot.close)
        return self._snapshot


@asynccontextmanager
async def apps_on(
    settings: Mapping[str, object], project: Path, count: int = 1
) -> AsyncIterator[Sequence[TickingClient]]:
    """Serve a project with other settings than its own, those of another database among them."""
    with TemporaryDirectory() as folder:
        uploads = {
            "uploads.directory": f"{folder}/uploads",
            "uploads.temporary_directory": f"{folder}/incoming",
        }
        loaded = load_settings(project, environ={}, overrides={**settings, **uploads})
        clock, clients = Clock(), []
        async with AsyncExitStack() as stack:
            for _ in range(count):
                app = build_app(loaded, clock=clock)
                await stack.enter_async_context(running(app))
                clients.append(TickingClient(app, clock))
            yield clients
