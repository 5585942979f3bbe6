"""The base of functions of a project whose marks were checked when its code was loaded."""

from msgspec import Struct


class CheckedFunction(Struct, frozen=True, kw_only=True, eq=False):
    """A function, or class, of a project; the log names it by ``name`` and ``place``."""

    name: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """The file and line of the function."""
        return f"{self.file}:{self.line}"
