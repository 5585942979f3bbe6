"""``quire ext``: lists installed packages with code for the project, and allows one."""

import json
from pathlib import Path

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
    kinds_in,
)
from quire.hooks.errors import nearest
from quire.settings import SETTINGS_FILE, load_settings


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
    installed = installed_packages()
    package = installed.get(name.lower().replace("_", "-").replace(".", "-"))
    if package is None:
        raise ApplicationError(
            f"{name} is not installed, or has no code for Quire{nearest(name, installed)}"
        )
    if any(
        allowed_package.name == package.name for allowed_package in settings.extensions.packages
    ):
        raise ApplicationError(f"{package.name} is in {SETTINGS_FILE} already.")
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


def _entry(package: InstalledPackage) -> str:
    """Return the lines of an entry, with the present decorators of the package."""
    try:
        kinds = sorted(set(kinds_in(import_all(package))))
    except PackageError as error:
        raise ApplicationError(f"{package.name} cannot be imported: {error}") from error
    release = Version(package.version).release
    versions = f">={package.version},<{release[0] + 1}"
    return (
        "[[extensions.packages]]\n"
        f"name = {json.dumps(package.name)}\n"
        f"version = {json.dumps(versions)}\n"
        f"may = {json.dumps(kinds)}\n"
        f"record = {json.dumps(package.record)}\n"
    )
