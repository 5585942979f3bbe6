"""The services of a project: what their methods are, for those who call them."""

from pathlib import Path

from quire.customisations.controllers import Overrides, factory_methods
from quire.customisations.tree import folders, registered_name, sources
from quire.javascript.scope import Module


class ServiceFiles:
    """Reads the service files of a project, once each."""

    def __init__(self, project: Path) -> None:
        """Nothing is read yet."""
        self._project = project
        self._known: dict[str, tuple[Module, Overrides] | None] = {}
        self.called: set[tuple[str, str]] = set()
        """The methods, by uid and name, that understood actions call."""

    def of(self, uid: str) -> tuple[Module, Overrides] | None:
        """Return the module of a service and the methods that it adds to those of the core."""
        if uid not in self._known:
            self._known[uid] = self._read(uid)
        return self._known[uid]

    def note_call(self, uid: str, name: str) -> None:
        """Note that an understood action calls a method."""
        self.called.add((uid, name))

    def _read(self, uid: str) -> tuple[Module, Overrides] | None:
        api, _, name = uid.removeprefix("api::").partition(".")
        for folder in folders(self._project / "src" / "api"):
            if registered_name(folder.name) != api:
                continue
            for file in sources(self._project, folder / "services"):
                if file.name == name:
                    methods = factory_methods(file.module, "createCoreService", uid)
                    return None if methods is None else (file.module, methods)
        return None
