"""``quire ext``: lists installed packages with code for the project, and allows them."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from quire.cli.project_settings import require_project
from quire.cli.terminal import EXIT_OK, print_message, print_result
from quire.errors import ApplicationError
from quire.extension_loading.code_settings import code_settings
from quire.extension_loading.package_loading import (
    InstalledPackage,
    PackageError,
    import_all,
    installed_packages,
    is_allowed_version,
    kinds_in,
)
from quire.hooks.errors import nearest
from quire.settings import SETTINGS_FILE, AllowedPackage, Settings, load_settings

_ENTRY_START = "[[extensions.packages]]"
_TABLE_START = re.compile(r"(?m)^(?=\[)")
_VALUE = re.compile(r"(?m)^[ \t]*(?P<key>version|record)[ \t]*=.*$")


def list_packages(project: Path) -> int:
    """Print the packages of the settings, then those that are only installed."""
    settings = load_settings(project)
    require_project(settings)
    packages_by_name = installed_packages()
    allowed_packages = {package.name: package for package in settings.extensions.packages}
    for name, allowed_package in allowed_packages.items():
        installed_package = packages_by_name.get(name)
        version = "not installed" if installed_package is None else installed_package.version
        kinds = ", ".join(allowed_package.may)
        print_result(f"{name}  {version}  allowed: {allowed_package.version}  may: {kinds}")
    for name, installed_package in sorted(packages_by_name.items()):
        if name not in allowed_packages:
            print_result(
                f"{name}  {installed_package.version}  not loaded: `quire ext add {name}` allows it"
            )
    if not allowed_packages and not packages_by_name:
        print_message("No package with code for Quire is installed.")
    return EXIT_OK


def add_package(project: Path, name: str) -> int:
    """Add an entry for a package to ``quire.toml``; this imports the package.

    Raises ApplicationError for one that is not installed, is allowed already or cannot be imported,
    and where the list in the file cannot be extended.
    """
    settings = load_settings(project)
    require_project(settings)
    package = _installed_package(name)
    if _allowed_package(settings, package) is not None:
        raise ApplicationError(
            f"{package.name} is in {SETTINGS_FILE} already: after installing another version or "
            f"build, run `quire ext update {package.name}`."
        )
    with code_settings(settings):
        entry = _entry(package)
    file = settings.project / SETTINGS_FILE
    settings_text = file.read_text(encoding="utf-8") if file.is_file() else ""
    if settings.extensions.packages and "[[extensions.packages]]" not in settings_text:
        raise ApplicationError(
            f"{SETTINGS_FILE} lists packages in one line. Add this to the list yourself:\n{entry}"
        )
    file.write_text(f"{settings_text.rstrip()}\n\n{entry}".lstrip("\n"), encoding="utf-8")
    print_message(f"{SETTINGS_FILE} allows {package.name} now. Look at what it may do:")
    print_result(entry.rstrip())
    return EXIT_OK


def update_package(project: Path, name: str) -> int:
    """Allow the installed build of a package that the settings name, in ``quire.toml``.

    Its permissions are not changed; those that it lacks are named when it is loaded. Raises
    ApplicationError for a package that is not installed or not in the settings, and where its entry
    in the file cannot be changed.
    """
    settings = load_settings(project)
    require_project(settings)
    package = _installed_package(name)
    allowed_package = _allowed_package(settings, package)
    if allowed_package is None:
        raise ApplicationError(
            f"{package.name} is not in {SETTINGS_FILE}: run `quire ext add {package.name}`."
        )
    values: dict[str, str] = {}
    try:
        if not is_allowed_version(allowed_package, package):
            values["version"] = _compatible_versions(package)
    except PackageError as error:
        raise ApplicationError(f"{package.name}: {error}") from error
    if allowed_package.record not in {None, package.record}:
        values["record"] = package.record
    if not values:
        print_message(f"{SETTINGS_FILE} allows {package.name} {package.version} already.")
        return EXIT_OK
    file = settings.project / SETTINGS_FILE
    settings_text = _change_entry(file.read_text(encoding="utf-8"), package.name, values)
    file.write_text(settings_text, encoding="utf-8")
    print_message(f"{SETTINGS_FILE} allows {package.name} {package.version} now.")
    return EXIT_OK


def _change_entry(settings_text: str, name: str, values: Mapping[str, str]) -> str:
    """Return the text of the settings with other values in the entry of a package.

    Raises ApplicationError if it has no table of its own, with each value on one line.
    """
    lines = {key: f"{key} = {json.dumps(value)}" for key, value in values.items()}
    tables = _TABLE_START.split(settings_text)
    for number, table in enumerate(tables):
        if table.startswith(_ENTRY_START) and _name_in(table) == name:
            changed_table = _VALUE.sub(lambda one: lines.get(one["key"], one[0]), table)
            if all(line in changed_table for line in lines.values()):
                return "".join([*tables[:number], changed_table, *tables[number + 1 :]])
    text = "\n".join(lines.values())
    raise ApplicationError(f"{SETTINGS_FILE} has no table of {name}. Write yourself:\n{text}")


def _name_in(table: str) -> str | None:
    """Return the canonical name in the table of a package, ``None`` if the table is incomplete."""
    try:
        name: object = tomllib.loads(table)["extensions"]["packages"][0]["name"]
    except (tomllib.TOMLDecodeError, LookupError):
        return None
    return canonicalize_name(str(name))


def _installed_package(name: str) -> InstalledPackage:
    """Return an installed package. Raises ApplicationError if there is none of this name."""
    installed = installed_packages()
    package = installed.get(canonicalize_name(name))
    if package is None:
        raise ApplicationError(
            f"{name} is not installed, or has no code for Quire{nearest(name, installed)}"
        )
    return package


def _allowed_package(settings: Settings, package: InstalledPackage) -> AllowedPackage | None:
    """Return the entry of a package in the settings, if it has one."""
    return next((one for one in settings.extensions.packages if one.name == package.name), None)


def _compatible_versions(package: InstalledPackage) -> str:
    """Return the installed version, and those after it with the same major number."""
    release = Version(package.version).release
    return f">={package.version},<{release[0] + 1}"


def _entry(package: InstalledPackage) -> str:
    """Return the lines of an entry, with the present decorators of the package."""
    try:
        kinds = sorted(set(kinds_in(import_all(package))))
    except PackageError as error:
        raise ApplicationError(f"{package.name} cannot be imported: {error}") from error
    return (
        "[[extensions.packages]]\n"
        f"name = {json.dumps(package.name)}\n"
        f"version = {json.dumps(_compatible_versions(package))}\n"
        f"may = {json.dumps(kinds)}\n"
        f"record = {json.dumps(package.record)}\n"
    )
