"""What a scan of a project's JavaScript says."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

FindingKind = Literal[
    "routes",
    "controller",
    "policy",
    "middleware",
    "service",
    "lifecycles",
    "start-up",
    "extension",
    "plugin",
    "cron",
    "configuration",
]
Effect = Literal["closed", "warning", "ignored"]


class Finding(Struct, frozen=True):
    """One file that does what Quire does not do.

    ``file`` is relative to the project, with slashes. ``closes`` are the uids of the content types
    that the file keeps closed, or would if it were not ignored; ``sentence`` says what it means.
    """

    file: str
    kind: FindingKind
    effect: Effect
    sentence: str
    closes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line for a terminal or a log."""
        return f"{self.file}: {self.sentence}"


class Customisations(Struct, frozen=True):
    """Everything that the scan found.

    ``closed`` maps the uid of a content type to the files that keep it closed. ``unused_ignores``
    are entries of the setting ``migration.ignore`` that no finding matches.
    """

    closed: Mapping[str, tuple[str, ...]]
    findings: tuple[Finding, ...]
    unused_ignores: tuple[str, ...] = ()
