"""``quire types``: writes typed models of a project's content for programs that read it."""

from pathlib import Path

from quire.cli.project_settings import require_project
from quire.cli.terminal import EXIT_OK, PROBLEMS, print_error, print_message
from quire.codegen import python_documents, python_structs, typescript
from quire.codegen.model_classes import make_model_classes
from quire.errors import ApplicationError, os_error_reason
from quire.extension_loading import ExtensionError, extend_schema, load_extensions
from quire.schema.model import Schema
from quire.settings import Settings, load_settings
from quire.strapi_project.schema import load_project_schema


def write_types(
    project: Path,
    *,
    python_file: Path | None,
    typescript_file: Path | None,
    documents_file: Path | None,
    drafts: bool,
    check: bool,
) -> int:
    """Write the models, or only check whether the files are current.

    Raises ApplicationError when no file is named, or one cannot be written.
    """
    settings = load_settings(project)
    require_project(settings)
    schema = _extend_with_code(settings, load_project_schema(settings))
    texts_by_file: dict[Path, str] = {}
    if python_file is not None:
        texts_by_file[python_file] = _python(schema, drafts=drafts)
    if typescript_file is not None:
        texts_by_file[typescript_file] = _typescript(schema, drafts=drafts)
    if documents_file is not None:
        models = make_model_classes(schema, drafts=drafts, reserved=python_documents.RESERVED_NAMES)
        texts_by_file[documents_file] = python_documents.document_classes(models)
    if not texts_by_file:
        raise ApplicationError(
            "Name the files to write: --python FILE, --typescript FILE or --documents FILE."
        )
    outdated_files = [file for file, text in texts_by_file.items() if _read_file(file) != text]
    if check:
        for file in outdated_files:
            print_error(f"{file} is out of date; run `quire types` to update it.")
        return PROBLEMS if outdated_files else EXIT_OK
    for file in outdated_files:
        _write(file, texts_by_file[file])
    for file in texts_by_file:
        print_message(f"{file} {'was written' if file in outdated_files else 'is up to date'}.")
    return EXIT_OK


def _extend_with_code(settings: Settings, schema: Schema) -> Schema:
    """Return the schema with the attribute types of the project's code.

    Code that imports the files to be written does not load; then types are those of the schema.
    """
    try:
        extensions = load_extensions(settings.project, schema, settings)
    except ExtensionError:
        return schema
    return extend_schema(schema, extensions)


def _python(schema: Schema, *, drafts: bool) -> str:
    models = make_model_classes(schema, drafts=drafts, reserved=python_structs.RESERVED_NAMES)
    return python_structs.python_models(models)


def _typescript(schema: Schema, *, drafts: bool) -> str:
    models = make_model_classes(schema, drafts=drafts, reserved=typescript.RESERVED_NAMES)
    return typescript.typescript_models(models)


def _read_file(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ApplicationError(f"{file} cannot be read: {os_error_reason(error)}") from error
    except UnicodeDecodeError as error:
        raise ApplicationError(f"{file} cannot be read: it is not UTF-8 text") from error


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ApplicationError(f"{file} cannot be written: {os_error_reason(error)}") from error
