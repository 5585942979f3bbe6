"""``quire new``: creates a project, or adds what a project lacks to be served."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import quire
from quire.cli.new_secrets import write_environment
from quire.cli.seed import CONTENT_FOLDER, seed_project
from quire.cli.terminal import EXIT_OK, print_message
from quire.database.settings_target import target_of
from quire.errors import ConfigurationError
from quire.seeding.import_content import make_database
from quire.seeding.seed_values import MANIFEST
from quire.settings import Settings, load_settings
from quire.strapi_project.schema import load_project_schema

_FOLDERS = ("src/api", "src/components", "public/uploads")
_GITIGNORE = """\
.env
.tmp/
node_modules/
public/uploads/*
!public/uploads/.gitkeep
"""
_SETTINGS = """\
# Settings of this project. All have defaults; `quire config` prints what is in force.
# Secrets and whatever differs from one machine to the next belong in .env.

# [api]
# max_limit = 100

# [cors]
# origins = ["https://www.example.org"]
"""
_PREPARED_FILES = frozenset({".env", ".git", ".gitignore", "quire.toml"})
"""What may be in the folder of a new project: PostgreSQL has to be configured before."""
_GENERATED_FILES = shutil.ignore_patterns(".env", ".tmp", "uploads", "__pycache__")
"""Files of a used template that are not copied: secrets and content of somebody else."""


def new_project(folder: Path, template: str | None) -> int:
    """Create a project in a folder, or complete an existing one; never overwrites anything.

    Raises a :class:`QuireError` when the folder contains something else, and when the project
    cannot be served; a new folder is deleted again then.
    """
    root = folder.expanduser().absolute()
    source = _require_template_source(root, template)
    with _delete_on_failure(root):
        paths = [*_copy_template(root, source), *_tree(root)]
        settings = load_settings(root)
        if not asyncio.run(target_of(settings).has_tables()):
            paths += _prepare_first_start(settings)
        load_settings(root).require_secrets()
    for path in paths:
        print_message(f"made {path}")
    print_message(_next_steps(folder) if paths else f"{root} is complete.")
    return EXIT_OK


def templates() -> dict[str, Path]:
    """The templates for new projects, by name."""
    package = Path(quire.__file__).parent
    # They are part of the installed package; in a checkout they are the examples.
    roots = (package.parents[1] / "examples", package / "templates")
    folders = (path for root in roots if root.is_dir() for path in root.iterdir())
    return {path.name: path for path in folders if (path / "src").is_dir()}


def _require_template_source(root: Path, template: str | None) -> Path | None:
    """Check whether the project can be created; returns the template's folder."""
    is_project = (root / "src").is_dir()
    if root.exists() and not root.is_dir():
        raise ConfigurationError(f"{root} is not a folder.")
    if _names_in(root) - _PREPARED_FILES and not is_project:
        raise ConfigurationError(f"{root} is not empty, and what is in it is not a project.")
    if template is None:
        return None
    if is_project:
        raise ConfigurationError(f"{root} is a project already; a template is for a new one.")
    available_templates = templates()
    if template not in available_templates:
        names = ", ".join(sorted(available_templates)) or "none"
        raise ConfigurationError(f'There is no template "{template}"; there are: {names}.')
    return available_templates[template]


def _names_in(folder: Path) -> set[str]:
    """Return the names of the files and folders in a folder, which may be missing."""
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


@contextmanager
def _delete_on_failure(root: Path) -> Iterator[None]:
    """Delete a new folder again on failure; an existing one stays."""
    is_existing = root.exists()
    try:
        yield
    except BaseException:
        if not is_existing:
            shutil.rmtree(root, ignore_errors=True)
        raise


def _copy_template(root: Path, source: Path | None) -> Iterator[str]:
    if source is not None:
        existing_names = _names_in(root)

        def ignore(folder: str, names: list[str]) -> set[str]:
            not_copied = existing_names if Path(folder) == source else set()
            return {*_GENERATED_FILES(folder, names), *not_copied.intersection(names)}

        shutil.copytree(source, root, ignore=ignore, dirs_exist_ok=True)
        yield f"a copy of the template {source.name}"


def _tree(root: Path) -> Iterator[str]:
    for name in _FOLDERS:
        folder = root / name
        if not folder.is_dir():
            folder.mkdir(parents=True)
            (folder / ".gitkeep").touch()
            yield f"{name}/"
    for name, content in ((".gitignore", _GITIGNORE), ("quire.toml", _SETTINGS)):
        if not (root / name).exists():
            (root / name).write_text(content, encoding="utf-8")
            yield name


def _prepare_first_start(settings: Settings) -> Iterator[str]:
    """Create the secrets, and the database with the content of the project.

    Only without a database: its tokens and passwords depend on the former secrets.
    """
    missing_names = settings.missing_secrets()
    is_existing = (settings.project / ".env").exists()
    if write_environment(settings) is not None:
        yield f"{', '.join(missing_names)} in .env" if is_existing else ".env with new secrets"
        settings = load_settings(settings.project)
    settings.require_secrets()
    name = target_of(settings).place.removeprefix(f"{settings.project}/")
    if (settings.project / CONTENT_FOLDER / MANIFEST).is_file():
        seed_project(settings.project)
        yield f"{name} with the content of {CONTENT_FOLDER}/"
        return
    asyncio.run(make_database(settings, load_project_schema(settings)))
    yield name


def _next_steps(folder: Path) -> str:
    return (
        "\nNext:\n"
        f"  quire dev {folder}\n"
        f"  quire admin create {folder} --email you@example.org --firstname You\n"
        f"  quire token create {folder} --name site"
    )
