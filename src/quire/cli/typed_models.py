"""``quire types``: writes typed models of a project's content for programs that read it."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import EXIT_OK, PROBLEMS, print_error, print_message
from quire.codegen import python_documents, python_structs, typescript
from quire.codegen.model_classes import make_model_classes
from quire.codegen.python_documents import DocumentSchemas
from quire.errors import ApplicationError, os_error_reason
from quire.extension_loading import ExtensionError, extend_schema, load_extensions
from quire.openapi.python_code_schemas import filter_schemas, input_schemas
from quire.schema.model import FILE_UID, USER_UID, Schema
from quire.settings import Settings
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
    """Write the models, or only check whether the files are current; returns the exit code.

    It is 1 if a file is out of date, or the project's code does not load. Raises
    ApplicationError when no file is named, or one cannot be written.
    """
    settings = load_logged(project)
    require_project(settings)
    if python_file is documents_file is typescript_file is None:
        raise ApplicationError(
            "Name the files to write: --python FILE, --typescript FILE or --documents FILE."
        )
    stored_schema = load_project_schema(settings)

    def make_texts(schema: Schema) -> dict[Path, str]:
        texts_by_file: dict[Path, str] = {}
        if python_file is not None:
            texts_by_file[python_file] = _python(schema, drafts=drafts)
        if typescript_file is not None:
            texts_by_file[typescript_file] = _typescript(schema, drafts=drafts)
        if documents_file is not None:
            texts_by_file[documents_file] = _documents(schema)
        return texts_by_file

    schema, problem = _extend_with_code(settings, stored_schema)
    texts_by_file = make_texts(schema)
    outdated_files = _outdated_files(texts_by_file)
    if check:
        _warn_of_code(problem)
        for file in outdated_files:
            print_error(f"{file} is out of date; run `quire types` to update it.")
        return PROBLEMS if outdated_files or problem is not None else EXIT_OK
    _write_files(outdated_files, texts_by_file)
    if problem is not None and outdated_files:
        # The code may have needed the classes that are in the files now.
        schema, problem = _extend_with_code(settings, stored_schema)
        texts_by_file = make_texts(schema)
        _write_files(_outdated_files(texts_by_file), texts_by_file)
    _warn_of_code(problem)
    for file in texts_by_file:
        print_message(f"{file} {'was written' if file in outdated_files else 'is up to date'}.")
    return EXIT_OK if problem is None else PROBLEMS


def _extend_with_code(settings: Settings, schema: Schema) -> tuple[Schema, ExtensionError | None]:
    """Return the schema with the attribute types and computed fields of the project's code.

    Code that imports the files to be written may not load yet: then the schema is the stored one,
    and the error is returned.
    """
    try:
        extensions = load_extensions(settings.project, schema, settings)
    except ExtensionError as error:
        return schema, error
    return extend_schema(schema, extensions), None


def _warn_of_code(problem: ExtensionError | None) -> None:
    if problem is not None:
        print_error(
            "The project's Python code does not load, so the types lack its attribute types, "
            f"operators and computed fields:\n{problem}"
        )


def _outdated_files(texts_by_file: Mapping[Path, str]) -> list[Path]:
    return [file for file, text in texts_by_file.items() if _read_file(file) != text]


def _write_files(files: Iterable[Path], texts_by_file: Mapping[Path, str]) -> None:
    for file in files:
        _write(file, texts_by_file[file])


def _documents(schema: Schema) -> str:
    # Hooks receive drafts, in which required attributes may be null.
    models = make_model_classes(
        schema, drafts=True, reserved=python_documents.RESERVED_NAMES, all_computed=True
    )
    uids = {model_class.uid for model_class in models.classes}
    uids &= {USER_UID, FILE_UID, *(content_type.uid for content_type in schema.api_types)}
    filters, written = filter_schemas(schema, sorted(uids)), input_schemas(schema, sorted(uids))
    schemas = DocumentSchemas(
        filters=filters.schemas,
        filters_by_uid=filters.references,
        input=written.schemas,
        input_by_uid=written.references,
    )
    return python_documents.document_classes(models, schemas)


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
