"""The services of a project: what their methods are, for those who call them."""

from pathlib import Path

from quire.customisations.controllers import Overrides, factory_methods, factory_object
from quire.customisations.scripts.model import ServiceCode
from quire.customisations.tree import SourceFile, folders, registered_name, sources
from quire.javascript.scope import Module
from quire.javascript.syntax import Function, Object


class ServiceFiles:
    """Reads the service files of a project, once each."""

    def __init__(self, project: Path) -> None:
        """Nothing is read yet."""
        self._project = project
        self._known: dict[str, tuple[Module, Overrides] | None] = {}
        self.called: set[tuple[str, str]] = set()
        """The methods, by uid and name, that understood actions call."""
        self._code: dict[str, ServiceCode | None] = {}

    def of(self, uid: str) -> tuple[Module, Overrides] | None:
        """Return the module of a service and the methods that it adds to those of the core."""
        if uid not in self._known:
            self._known[uid] = self._read(uid)
        return self._known[uid]

    def code(self, uid: str) -> ServiceCode | None:
        """Return the code of a service, ``None`` where it is not clear what it is."""
        if uid not in self._code:
            self._code[uid] = self._service_code(uid)
        return self._code[uid]

    def _service_code(self, uid: str) -> ServiceCode | None:
        file = self._file(uid)
        if file is None or not file.module.is_known:
            return None
        module, exported = file.module, file.module.exported
        if isinstance(exported, Function | Object):
            return ServiceCode(module, exported, is_core=False)
        added = factory_object(module, "createCoreService", uid)
        return None if added is None else ServiceCode(module, added, is_core=True)

    def note_call(self, uid: str, name: str) -> None:
        """Note that an understood action calls a method."""
        self.called.add((uid, name))

    def _read(self, uid: str) -> tuple[Module, Overrides] | None:
        file = self._file(uid)
        if file is None:
            return None
        methods = factory_methods(file.module, "createCoreService", uid)
        return None if methods is None else (file.module, methods)

    def _file(self, uid: str) -> SourceFile | None:
        api, _, name = uid.removeprefix("api::").partition(".")
        for folder in folders(self._project / "src" / "api"):
            if registered_name(folder.name) != api:
                continue
            for file in sources(self._project, folder / "services"):
                if file.name == name:
                    return file
        return None
