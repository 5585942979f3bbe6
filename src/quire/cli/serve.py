"""Runs the server: one process, or several that share a socket."""

import asyncio
import multiprocessing
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import structlog
import uvicorn
from uvicorn import _subprocess
from uvicorn.supervisors import multiprocess

from quire.cli.gc import resume_collector
from quire.cli.lifespan import Application, Lifespan
from quire.cli.metrics_server import (
    MeasuredServer,
    MetricsChannel,
    MetricsServer,
    MetricsThread,
    WorkerMetrics,
)
from quire.cli.schema_file_recovery import recover_project
from quire.cli.terminal import EXIT_OK, PROBLEMS, print_message, print_warning
from quire.content_api.fast_path import FastPathProtocol
from quire.errors import AppError, ConfigurationError, ProjectCodeError
from quire.logging import configure_logging, is_json
from quire.metrics.families import MetricFamily
from quire.settings import (
    Settings,
    adopt_environment,
    hand_over_settings,
    load_settings_from_environment,
    present_environment,
)

if TYPE_CHECKING:
    from quire.app import Application as ProjectApplication

FACTORY = "quire.cli.serve:application_of_process"
RELOAD_DELAY = 0.5
EXIT_RESTART = 75
"""The exit code of a process that `quire dev` starts again."""
_BACKLOG = 2048
_READY_TIMEOUT_SECONDS = 60.0
_TICK_SECONDS = 0.1
"""The interval of uvicorn's own periodic work, such as the date header."""

_log = structlog.get_logger("quire")


def serve(settings: Settings, overrides: Mapping[str, object]) -> int:
    """Serve a project until a signal ends it; returns the exit code.

    Raises a :class:`QuireError` when the project cannot be served. The port is bound first, so that
    nothing else has happened when it is not free.
    """
    announce_notices(settings)
    log_as_set(settings)
    recover_project(settings)
    listener = listen(settings)
    with listener:
        if settings.server.workers == 1:
            return serve_here(settings, listener)
        return _serve_in_processes(settings, overrides, listener)


def serve_here(settings: Settings, listener: socket.socket, *, follows_code: bool = False) -> int:
    """Serve in this process, on a socket that is already bound.

    With ``follows_code`` changes of the project's Python code are adopted; returns `EXIT_RESTART`
    where that is only possible by starting again.
    """
    from quire.app import build_app

    must_restart = False

    def restart() -> None:
        nonlocal must_restart
        must_restart = server.should_exit = True

    _end_quietly()
    with listen_for_metrics(settings) as metrics_socket:
        app = build_app(settings, restart=restart if follows_code else None)
        server = Server(
            settings,
            app,
            lambda: announce(
                settings, listener, app.first_administrator, lacks_reset_page=app.lacks_reset_page
            ),
            advise=lambda: _index_advice(app),
            metrics=None
            if metrics_socket is None
            else MetricsServer(metrics_socket, app.collect_metrics, settings.metrics.token),
        )
        server.run(sockets=[listener])
    return EXIT_RESTART if must_restart else EXIT_OK


def application_of_process() -> Application:
    """Return the application in a worker process, which finds its settings in the environment."""
    from quire.app import build_app

    settings = load_settings_from_environment()
    log_as_set(settings)
    return build_app(settings)


def log_as_set(settings: Settings) -> None:
    """Set up logging for this process by the settings."""
    as_json = is_json(settings.log.format, development=settings.is_development)
    code = settings.project / "src" if settings.is_development else None
    configure_logging(
        level=settings.log.level, as_json=as_json, code=code, code_errors=(ProjectCodeError,)
    )


def listen(settings: Settings) -> socket.socket:
    """Return a socket bound by the settings. Raises :class:`ConfigurationError` on failure."""
    server = settings.server
    advice = "Choose another port with --port, or in .env as PORT."
    return _bind(server.host, server.port, advice)


def _bind(host: str, port: int, advice: str) -> socket.socket:
    try:
        address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        listener = socket.create_server(address[4][:2], family=address[0], backlog=_BACKLOG)
    except OSError as error:
        raise ConfigurationError(
            f"Cannot listen on {host} port {port}: {_reason(error)}.\n{advice}"
        ) from error
    listener.set_inheritable(True)
    return listener


@contextmanager
def listen_for_metrics(settings: Settings) -> Iterator[socket.socket | None]:
    """Return a socket for metrics, ``None`` if they are disabled; prints its address.

    Raises :class:`ConfigurationError` when it cannot be bound.
    """
    port = settings.metrics.port
    if port is None:
        yield None
        return
    advice = "Choose another port for metrics: metrics.port in quire.toml, or METRICS_PORT."
    with _bind(settings.metrics.address, port, advice) as listener:
        bound_port = listener.getsockname()[1]
        host = settings.metrics.address
        url_host = f"[{host}]" if ":" in host else host
        print_message(f"Metrics are served at http://{url_host}:{bound_port}/metrics.")
        yield listener


def _reason(error: OSError) -> str:
    # Errors of create_server repeat the address in their text; those of name resolution have their
    # own numbers.
    if isinstance(error, socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    return os.strerror(error.errno)


def announce(
    settings: Settings,
    listener: socket.socket,
    first_administrator: str | None,
    *,
    lacks_reset_page: bool,
) -> None:
    """Print that the server is ready, and its address.

    ``first_administrator`` is the registration token, if there is no administrator yet. With
    ``lacks_reset_page`` mails for password resets have no page to link to.
    """
    address = address_of(settings, listener)
    has_admin = settings.secrets.admin_jwt_secret is not None
    admin = f", its admin UI at {settings.server.url or address}/admin" if has_admin else ""
    print_message(
        f"{settings.project.name} is served at {address} ({settings.environment}){admin}. "
        "Stop it with Ctrl+C."
    )
    if lacks_reset_page:
        print_warning(
            "mails to reset a password link to no page of their own: set email_reset_password "
            "(PUT /users-permissions/advanced)"
        )
    if first_administrator is not None:
        print_message(
            "There is no administrator yet. Whoever opens this link first becomes one:\n"
            f"{settings.server.url or address}/admin/auth/register-admin"
            f"?registrationToken={first_administrator}"
        )


def announce_notices(settings: Settings) -> None:
    """Print warnings about valid settings."""
    from quire.mail.senders import missing_mail_settings
    from quire.tracing.setup import tracing_notices

    notices = (*settings.notices, *missing_mail_settings(settings), *tracing_notices(settings))
    for notice in notices:
        print_warning(notice)


def address_of(settings: Settings, listener: socket.socket) -> str:
    """Return the URL under which the server can be reached from this machine."""
    host, port = settings.server.host, listener.getsockname()[1]
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104 (compared, not bound)
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class GracefulServer(MeasuredServer):
    """A server that still serves the connections that have arrived when it is stopped."""

    _is_drained = False

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until the server is stopped.

        SystemExit and KeyboardInterrupt leave the event loop also if a task of a project's code
        raises them; the server's own end is in its own task.
        """
        with asyncio.Runner(loop_factory=self.config.get_loop_factory()) as runner:
            loop = runner.get_loop()
            serving = loop.create_task(self.serve(sockets))
            while True:
                try:
                    loop.run_until_complete(serving)
                except (SystemExit, KeyboardInterrupt) as error:
                    if serving.done() or not self.started:
                        raise
                    _log.error("a background task exited", exc_info=error)
                else:
                    return

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then handle requests; garbage is collected from then on."""
        await super().startup(sockets)
        resume_collector()

    async def drain(self) -> None:
        """Serve on for a while after a signal, so that load balancers see it at ``/_ready``.

        A second signal ends it.
        """
        begin: Callable[[], float] | None = self.lifespan.state.get("begin_drain")
        if self._is_drained or begin is None:
            return
        self._is_drained = True
        ticks = round(begin() / _TICK_SECONDS)
        for tick in range(ticks):
            if self.force_exit:
                return
            await self.on_tick(tick)
            await asyncio.sleep(_TICK_SECONDS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse new connections, finish running requests, stop the application."""
        await self.drain()
        # Closing a listening socket resets the connections that were not accepted yet. There must
        # be no await between the two.
        accepted_sockets = [
            connection for sock in sockets or () for connection in _accept_all(sock)
        ]
        for server in self.servers:
            server.close()
        for protocol in list(self.server_state.connections):
            protocol.shutdown()
        loop = asyncio.get_running_loop()
        for connection in accepted_sockets:
            with suppress(OSError):  # the client has disconnected
                await loop.connect_accepted_socket(self._make_protocol, connection)
        # Connections that the loop itself has just accepted are registered in its next iteration.
        await asyncio.sleep(0)
        await super().shutdown(sockets)

    def _make_protocol(self) -> asyncio.Protocol:
        return self.config.http_protocol_class(  # type: ignore[call-arg]  # as uvicorn does
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
            _loop=asyncio.get_running_loop(),
        )


def _accept_all(listener: socket.socket) -> Iterator[socket.socket]:
    """Accept the connections that wait on a listening socket, which does not block."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:  # there are none left, or this process has reached its limit
            return
        connection.settimeout(0)  # as the loop requires
        yield connection


class Server(GracefulServer):
    """A server that says when it is ready, and raises the error of a failed start."""

    def __init__(
        self,
        settings: Settings,
        application: Application,
        ready: Callable[[], None],
        advise: Callable[[], Awaitable[str | None]] | None = None,
        metrics: MetricsServer | None = None,
    ) -> None:
        """``ready`` is called once, when requests are handled.

        Meanwhile ``advise`` runs; a warning that it returns is printed. ``metrics`` are served as
        long as requests are handled.
        """
        config = server_config(settings, application)
        config.load()
        config.lifespan_class = lambda _: Lifespan(application)
        super().__init__(config)
        self._ready = ready
        self._advise = advise
        self._metrics = metrics
        self._advising: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then handle requests."""
        await super().startup(sockets)
        if self._metrics is not None:
            await self._metrics.start()
        self._ready()
        if self._advise is not None:
            # The database may block it, which must delay neither the start nor the end.
            self._advising = asyncio.create_task(_print_advice(self._advise))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the additional tasks, then shut down as every server."""
        await self.drain()
        if self._advising is not None:
            self._advising.cancel()
        if self._metrics is not None:
            await self._metrics.stop()
        await super().shutdown(sockets)


def server_config(
    settings: Settings, application: Application | str, *, workers: int = 1, reload: bool = False
) -> uvicorn.Config:
    """Return uvicorn's configuration; ``application`` is one, or the name of a factory."""
    server = settings.server
    return uvicorn.Config(
        application,
        loop="uvloop",
        http=FastPathProtocol,
        ws="none",
        interface="asgi3",
        backlog=_BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(server.trusted_proxies),
        forwarded_allow_ips=list(server.trusted_proxies),
        timeout_keep_alive=max(1, round(server.keep_alive_timeout.total_seconds())),
        timeout_graceful_shutdown=max(1, round(server.shutdown_timeout.total_seconds())),
        factory=isinstance(application, str),
        workers=workers,
        reload=reload,
        reload_delay=RELOAD_DELAY,
    )


class _Worker(multiprocess.Process):
    """A worker process, which returns its metrics when the first process asks."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        self.metrics = MetricsChannel()
        # The fork server may have been started with another environment.
        self._environment = present_environment()
        super().__init__(config, sockets)

    def start(self) -> None:
        """Start the process, from the first one."""
        super().start()
        self.metrics.handed_over()

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve, in the process itself."""
        adopt_environment(self._environment)
        self.metrics.respond_from_thread(self.server)
        super().target(sockets)

    @property
    def server(self) -> MeasuredServer:
        if not isinstance(self._server, MeasuredServer):
            self._server = GracefulServer(self.config)
        return self._server


class _Processes(multiprocess.Multiprocess):
    """Several processes; reports when all are ready."""

    def __init__(
        self, config: uvicorn.Config, listener: socket.socket, ready: Callable[[], None]
    ) -> None:
        super().__init__(config, [listener])
        self._ready = ready
        self._metrics = WorkerMetrics()
        self.is_ready = False

    async def collect_metrics(self) -> list[MetricFamily]:
        """Return the combined metrics of all processes."""
        workers = [worker for worker in self.processes if isinstance(worker, _Worker)]
        return await self._metrics.collect(
            {worker.pid: worker.metrics for worker in workers if worker.pid}
        )

    def init_processes(self) -> None:
        # Uvicorn's supervisor has no parameter for the class of its processes, nor for their start:
        # forked from one that has imported all modules, each starts in a tenth of the time and
        # shares their memory.
        multiprocess.Process = _Worker  # type: ignore[misc]
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["quire.cli.preload"])
        vars(_subprocess).update(spawn=context)
        super().init_processes()
        self.is_ready = all(
            process.wait_until_ready(_READY_TIMEOUT_SECONDS, self.should_exit)
            for process in self.processes
        )
        if self.is_ready:
            self._ready()

    def terminate_all(self) -> None:
        # While a process has the socket open, the system accepts connections.
        for sock in self.sockets:
            sock.close()
        super().terminate_all()


def _serve_in_processes(
    settings: Settings, overrides: Mapping[str, object], listener: socket.socket
) -> int:
    from quire.app import build_app

    # A process that cannot start prints a traceback, and there are several of them.
    app = build_app(settings)
    advice = asyncio.run(_check_start(app))
    resume_collector()
    hand_over_settings(settings, overrides)
    config = server_config(settings, FACTORY, workers=settings.server.workers)
    first, lacks_reset_page = app.first_administrator, app.lacks_reset_page

    def ready() -> None:
        announce(settings, listener, first, lacks_reset_page=lacks_reset_page)
        if advice is not None:
            print_warning(advice)

    processes = _Processes(config, listener, ready)
    with listen_for_metrics(settings) as metrics_socket:
        if metrics_socket is not None:
            collect, token = processes.collect_metrics, settings.metrics.token
            MetricsThread(MetricsServer(metrics_socket, collect, token)).start()
        processes.run()
    return EXIT_OK if processes.is_ready else PROBLEMS


async def _check_start(application: "ProjectApplication") -> str | None:
    """Start and stop an application; returns the advice on its database."""
    lifespan = Lifespan(application)
    await lifespan.startup()
    advice = await _index_advice(application)
    await lifespan.shutdown()
    return advice


async def _print_advice(advise: Callable[[], Awaitable[str | None]]) -> None:
    advice = await advise()
    if advice is not None:
        print_warning(advice)


async def _index_advice(application: "ProjectApplication") -> str | None:
    """Return a line about indexes that large tables lack; a failure is logged."""
    from quire.cli.index import advise_indexes

    database = application.database
    if database is None:
        return None
    try:
        return await advise_indexes(application.settings, database, application.schema)
    except AppError as error:
        _log.warning("the indexes of the database are not looked at", exc_info=error)
        return None


def _end_quietly() -> None:
    """Let a stop by a signal be a normal exit: the server raises the signal again at the end.

    Without our handler the process would die of it, with another exit code.
    """

    def done(_signal: int, _frame: FrameType | None) -> None:
        return

    signal.signal(signal.SIGTERM, done)
    signal.signal(signal.SIGINT, done)
