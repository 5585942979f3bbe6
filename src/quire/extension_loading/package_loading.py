"""Loads the code of installed packages that the settings name, and of no others.

The permissions of a package are checked when it is loaded, and again where it calls `as_system`.
They are no sandbox: its code runs in the server.
"""

import hashlib
import importlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, distributions
from types import ModuleType

from msgspec import Struct
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from quire.hooks.errors import nearest
from quire.hooks.marks import own_marks
from quire.hooks.principal import AS_SYSTEM, allow_as_system
from quire.settings import AllowedPackage

GROUP = "quire.extensions"
KINDS = frozenset(
    {
        "after_commit",
        "after_write",
        "around",
        "asgi_middleware",
        "attribute_type",
        "auth_strategy",
        "before_write",
        "computed",
        "job",
        "on_start",
        "on_stop",
        "operator",
        "policy",
        "prepare",
        "replaces",
        "route",
        "rule",
        "schedule",
        "storage_backend",
        AS_SYSTEM,
    }
)
"""Possible permissions of a package: the decorators, their option ``replaces``, and acting as the
system."""


class PackageError(Exception):
    """A package cannot be loaded as the settings say; the message says why."""


class InstalledPackage(Struct, frozen=True, kw_only=True):
    """An installed package that has code for Quire: its modules, and the hash of its file list."""

    name: str
    version: str
    modules: tuple[str, ...]
    record: str


def installed_packages() -> dict[str, InstalledPackage]:
    """Return all installed packages with code for Quire by name; none of them is imported."""
    packages: dict[str, InstalledPackage] = {}
    for distribution in distributions():
        modules = tuple(
            sorted(
                entry_point.module
                for entry_point in distribution.entry_points
                if entry_point.group == GROUP
            )
        )
        if not modules:
            continue  # to parse the metadata of all packages takes longer than all else of a check
        name = _name_of(distribution)
        if name and name not in packages:  # the first one on the path counts
            packages[name] = InstalledPackage(
                name=name,
                version=distribution.version,
                modules=modules,
                record=record_hash(distribution),
            )
    return packages


def record_hash(distribution: Distribution) -> str:
    """Return the hash of a distribution's list of files, in the form of the settings."""
    text = distribution.read_text("RECORD") or ""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def load_package(
    allowed: AllowedPackage, installed: "dict[str, InstalledPackage]"
) -> list[ModuleType]:
    """Import the modules of a package that the settings name.

    Raises PackageError, before anything is imported, if it is not installed as the settings say,
    and if it uses more than its permissions.
    """
    package = _require_installed(allowed, installed)
    modules = import_all(package)
    excess_kinds = sorted({*kinds_in(modules)} - {*allowed.may})
    if excess_kinds:
        raise PackageError(f"does more than it may: add {', '.join(excess_kinds)} to its `may`")
    for name in package.modules:
        allow_as_system(name.partition(".")[0], allowed=AS_SYSTEM in allowed.may)
    return modules


def import_all(package: InstalledPackage) -> list[ModuleType]:
    """Import the modules of a package. Raises PackageError if that fails."""
    modules: list[ModuleType] = []
    for name in package.modules:
        try:
            modules.append(importlib.import_module(name))
        except (Exception, SystemExit) as error:
            raise PackageError(f"{name}: {type(error).__name__}: {error}") from error
    return modules


def kinds_in(modules: Sequence[ModuleType]) -> Iterator[str]:
    """Yield the kinds of all marks in modules."""
    for module in modules:
        for value in vars(module).values():
            if getattr(value, "__module__", None) == module.__name__:
                for mark in own_marks(value):
                    yield str(getattr(mark, "phase", "")).partition(".")[0]


def _require_installed(
    allowed: AllowedPackage, installed: "dict[str, InstalledPackage]"
) -> InstalledPackage:
    package = installed.get(canonicalize_name(allowed.name))
    if package is None:
        hint = nearest(allowed.name, installed)
        raise PackageError(f"is not installed, or has no entry points of {GROUP}{hint}")
    if not is_allowed_version(allowed, package):
        raise PackageError(
            f"is installed as {package.version}, which is not {allowed.version}: to allow it, run "
            f"`quire ext update {package.name}`"
        )
    unknown_kinds = [kind for kind in allowed.may if kind not in KINDS]
    if unknown_kinds:
        raise PackageError(
            f'may: unknown kind "{unknown_kinds[0]}"{nearest(unknown_kinds[0], KINDS)}'
        )
    if allowed.record is not None:
        if allowed.record != package.record:
            raise PackageError(
                "the list of its files is not the one of `record`: if you have installed another "
                f"build of it, run `quire ext update {package.name}`"
            )
        _require_files(package.name)
    return package


def is_allowed_version(allowed: AllowedPackage, package: InstalledPackage) -> bool:
    """Tell whether the installed version may be loaded.

    Raises PackageError for an invalid version specifier.
    """
    try:
        return SpecifierSet(allowed.version).contains(package.version, prereleases=True)
    except InvalidSpecifier:
        raise PackageError(f'"{allowed.version}" is no version specifier') from None


def _require_files(name: str) -> None:
    """Check the files of a package against their hashes. Raises PackageError."""
    for distribution in distributions():
        if _name_of(distribution) != name:
            continue
        for file in distribution.files or ():
            if file.hash is None:
                continue
            try:
                digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
            except (OSError, ValueError) as error:
                raise PackageError(f"{file} cannot be checked: {error}") from error
            if urlsafe_b64encode(digest).decode().rstrip("=") != file.hash.value:
                raise PackageError(f"{file} is not the file that was installed")
        return


def _name_of(distribution: Distribution) -> str:
    """Return the name of a distribution; empty if its metadata are damaged."""
    return canonicalize_name(str(distribution.metadata["Name"] or ""))
