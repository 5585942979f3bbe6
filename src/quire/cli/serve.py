"""Runs the server: one process, or several that share a socket."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Mapping
from types import FrameType

import uvicorn
from uvicorn.supervisors.multiprocess import Multiprocess

from quire.api.protocol import ReadProtocol
from quire.cli.collector import resume_collector
from quire.cli.exit_codes import DONE, PROBLEMS
from quire.cli.lifespan import Application, Lifespan
from quire.cli.recovery import recover_project
from quire.cli.terminal import print_message, print_warning
from quire.errors import ConfigurationError
from quire.logs import configure_logging
from quire.settings import Settings, hand_over_settings, load_settings_from_environment

FACTORY = "quire.cli.serve:application_of_process"
RELOAD_DELAY = 0.5
_BACKLOG = 2048
_READY_WITHIN = 60.0


def serve(settings: Settings, overrides: Mapping[str, object]) -> int:
    """Serve a project until a signal ends it; returns the exit code.

    Raises a :class:`QuireError` when the project cannot be served. The port is taken first, so that
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


def serve_here(settings: Settings, listener: socket.socket) -> int:
    """Serve in this process, on a socket that is already bound."""
    from quire.app import build_app

    _end_quietly()
    app = build_app(settings)
    server = Server(settings, app, lambda: announce(settings, listener, app.first_administrator))
    server.run(sockets=[listener])
    return DONE


def application_of_process() -> Application:
    """The application in one of several processes, which finds its settings in the environment."""
    from quire.app import build_app

    settings = load_settings_from_environment()
    log_as_set(settings)
    return build_app(settings)


def log_as_set(settings: Settings) -> None:
    """Set up logging for this process as the settings say."""
    form = settings.log.format
    as_json = form == "json" or (form == "auto" and not settings.is_development)
    configure_logging(level=settings.log.level, as_json=as_json, requests=settings.log.requests)


def listen(settings: Settings) -> socket.socket:
    """A socket bound as the settings say. Raises :class:`ConfigurationError` when it cannot be."""
    host, port = settings.server.host, settings.server.port
    try:
        address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        listener = socket.create_server(address[4][:2], family=address[0], backlog=_BACKLOG)
    except OSError as error:
        raise ConfigurationError(
            f"Cannot listen on {host} port {port}: {_reason(error)}.\n"
            "Choose another port with --port, or in .env as PORT."
        ) from error
    listener.set_inheritable(True)
    return listener


def _reason(error: OSError) -> str:
    # What create_server raises repeats the address in its text; what looking up a name raises has
    # numbers of its own.
    if isinstance(error, socket.gaierror) or error.errno is None:
        return str(error.strerror or error)
    return os.strerror(error.errno)


def announce(
    settings: Settings, listener: socket.socket, first_administrator: str | None = None
) -> None:
    """Say that the server is ready, and where.

    ``first_administrator`` is the token that makes one, where there is none yet.
    """
    address = address_of(settings, listener)
    print_message(
        f"{settings.project.name} is served at {address} "
        f"({settings.environment}). Stop it with Ctrl+C."
    )
    if first_administrator is not None:
        print_message(
            "There is no administrator yet. Whoever opens this link first becomes one:\n"
            f"{settings.server.url or address}/admin/auth/register-admin"
            f"?registrationToken={first_administrator}"
        )


def announce_notices(settings: Settings) -> None:
    """Say what works but deserves a look."""
    for notice in settings.notices:
        print_warning(notice)


def address_of(settings: Settings, listener: socket.socket) -> str:
    """The address under which the server can be reached from this machine."""
    host, port = settings.server.host, listener.getsockname()[1]
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104 (compared, not bound)
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """A server that says when it is ready, and raises what went wrong at the start."""

    def __init__(
        self, settings: Settings, application: Application, ready: Callable[[], None]
    ) -> None:
        """``ready`` is called once, when requests are answered."""
        config = server_config(settings, application)
        config.load()
        config.lifespan_class = lambda _: Lifespan(application)
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then answer requests."""
        await super().startup(sockets)
        resume_collector()
        self._ready()


def server_config(
    settings: Settings, application: Application | str, *, workers: int = 1, reload: bool = False
) -> uvicorn.Config:
    """How the server speaks HTTP; ``application`` is one, or names a function that makes one."""
    server = settings.server
    return uvicorn.Config(
        application,
        loop="uvloop",
        http=ReadProtocol,
        ws="none",
        interface="asgi3",
        backlog=_BACKLOG,
        log_config=None,
        access_log=settings.log.requests,
        server_header=False,
        proxy_headers=bool(server.trusted_proxies),
        forwarded_allow_ips=list(server.trusted_proxies),
        timeout_graceful_shutdown=max(1, round(server.shutdown_timeout.total_seconds())),
        factory=isinstance(application, str),
        workers=workers,
        reload=reload,
        reload_delay=RELOAD_DELAY,
    )


class _Processes(Multiprocess):
    """Several processes; says when all are ready."""

    def __init__(
        self, config: uvicorn.Config, listener: socket.socket, ready: Callable[[], None]
    ) -> None:
        super().__init__(config, [listener])
        self._ready = ready
        self.is_ready = False

    def init_processes(self) -> None:
        super().init_processes()
        self.is_ready = all(
            process.wait_until_ready(_READY_WITHIN, self.should_exit) for process in self.processes
        )
        if self.is_ready:
            self._ready()


def _serve_in_processes(
    settings: Settings, overrides: Mapping[str, object], listener: socket.socket
) -> int:
    from quire.app import build_app

    # A process that cannot start says so in a traceback of its own, and there are several of them.
    app = build_app(settings)
    asyncio.run(_try(app))
    resume_collector()
    hand_over_settings(settings, overrides)
    config = server_config(settings, FACTORY, workers=settings.server.workers)
    first = app.first_administrator
    processes = _Processes(config, listener, lambda: announce(settings, listener, first))
    processes.run()
    return DONE if processes.is_ready else PROBLEMS


async def _try(application: Application) -> None:
    life = Lifespan(application)
    await life.startup()
    await life.shutdown()


def _end_quietly() -> None:
    """Let a stop by a signal be a normal end: the server raises the signal again when it is done.

    Without a handler of ours the process would then die of it, with another exit code.
    """

    def done(_signal: int, _frame: FrameType | None) -> None:
        return

    signal.signal(signal.SIGTERM, done)
    signal.signal(signal.SIGINT, done)
