"""``quire seed``: creates the database of a project and imports its content files."""

import asyncio
from pathlib import Path

from quire.cli.new_secrets import write_environment
from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import EXIT_OK, print_message, shown_progress
from quire.database.settings_target import target_of
from quire.seeding.import_content import seed
from quire.seeding.load import read_content
from quire.seeding.seed_values import Content
from quire.strapi_project.schema import load_project_schema

CONTENT_FOLDER = "content"


def seed_project(project: Path) -> int:
    """Store the content files of a project in its database, which has no content yet.

    Without a database one is created, and the secrets that the project lacks with it. Raises a
    :class:`QuireError` when it fails; then nothing was stored.
    """
    settings = load_logged(project)
    require_project(settings)
    schema = load_project_schema(settings)
    content = read_content(settings.project / CONTENT_FOLDER, schema)
    target = target_of(settings)
    secrets_file = None if asyncio.run(target.has_tables()) else write_environment(settings)
    if secrets_file is not None:
        print_message(f"New secrets are in {secrets_file}.")
    with shown_progress() as progress:
        progress.begin("Storing content", content.size)
        asyncio.run(seed(settings, schema, content, lambda _: progress.advance(1)))
    print_message(f"{target.place} holds {_sum(content)}.")
    return EXIT_OK


def _sum(content: Content) -> str:
    locales = ", ".join(locale.code for locale in content.locales)
    return (
        f"{len(content.documents)} documents ({locales}) and {len(content.media)} files of the "
        "media library now"
    )
