"""Operators, errors, attribute types, settings and commands are documented."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App

from quire.cli.commands import app
from quire.errors import AppError, InternalServerError
from quire.metrics.catalogue import CATALOGUE
from quire.query.filter_operators import OPERATORS
from quire.query.plan import PublicationFilter
from quire.schema.attributes import ATTRIBUTE_TYPES
from quire.schema.attributes.base import SearchMode
from quire.settings import known_settings
from tests.docs.pages import DOCS, ROOT, all_pages, code_spans, name_of, read, rows

API = DOCS / "api"
ARCHITECTURE = DOCS / "architecture.md"
SOURCE = ROOT / "src" / "quire"

SEARCHED = {
    SearchMode.NEVER: "no",
    SearchMode.TEXT: "yes",
    SearchMode.NUMBER: "if the search term is a number",
}


def answered_errors(of: type[AppError] = AppError) -> Iterator[type[AppError]]:
    """The error classes of responses."""
    for one in of.__subclasses__():
        if "name" in vars(one) or one is InternalServerError:
            yield one
        yield from answered_errors(one)


ERRORS = sorted(answered_errors(), key=lambda one: (one.status, one.__name__))


def table(page: Path, first: str) -> dict[str, list[str]]:
    """The rows of the table whose first heading is this, by their first cell."""
    found: dict[str, list[str]] = {}
    inside = False
    for row in rows(page):
        if row[0] == first:
            inside = True
        elif inside and len(row) > 1 and row[0].startswith("`"):
            found.setdefault(row[0].strip("`"), row)
        else:
            inside = False
    return found


def test_every_operator_has_its_row() -> None:
    documented = table(API / "filters.md", "Operator")

    assert {name: row[2] for name, row in documented.items()} == {
        name: operator.operand.value for name, operator in OPERATORS.items()
    }


def test_every_publication_filter_has_its_row() -> None:
    documented = table(API / "status-and-locale.md", "`publicationFilter`")

    assert sorted(documented) == sorted(mode.value for mode in PublicationFilter)


def test_every_attribute_type_has_its_row() -> None:
    documented = table(API / "attributes.md", "Type")

    assert {name: row[3] for name, row in documented.items()} == {
        name: SEARCHED[type_.search] for name, type_ in ATTRIBUTE_TYPES.items()
    }


def test_every_error_has_its_row() -> None:
    documented = [row[:4] for row in rows(API / "errors.md") if row[0].isdigit()]

    assert sorted(documented) == sorted(
        [str(error.status), f"`{error.name}`", error.default_message, details_of(error)]
        for error in ERRORS
    )


def details_of(error: type[AppError]) -> str:
    return "no" if error().details is None else "yes"


def test_every_metric_has_its_row() -> None:
    documented = table(DOCS / "operations" / "metrics.md", "Metric")

    assert {name: row[1:] for name, row in documented.items()} == {
        metric.name: [metric.kind, ", ".join(f"`{one}`" for one in metric.labels), metric.help]
        for metric in CATALOGUE
    }


@pytest.mark.parametrize("page", all_pages(), ids=name_of)
def test_a_setting_that_is_named_exists(page: Path) -> None:
    sections = {name.split(".", maxsplit=1)[0] for name in known_settings()}
    named = {
        span
        for span in code_spans(page)
        if re.fullmatch(r"[a-z0-9]+(\.[a-z_]+)+", span) and span.split(".")[0] in sections
    }

    assert {name for name in named if not is_setting(name) and not is_file(name)} == set()


@pytest.mark.parametrize("page", all_pages(), ids=name_of)
def test_a_command_that_is_named_exists(page: Path) -> None:
    named = {span.split()[1] for span in code_spans(page) if re.match(r"quire [a-z]", span)}

    assert named <= set(app)


def test_every_command_has_its_row() -> None:
    cells = (row[0] for row in rows(DOCS / "cli.md"))
    named = (re.match(r"\[`quire ([a-z -]+)`\]", cell) for cell in cells)
    documented = [found[1] for found in named if found]

    assert sorted(documented) == sorted(commands(app))


def commands(group: App, prefix: str = "") -> Iterator[str]:
    """The commands of a group and of the groups in it, by the words that are typed."""
    for name in group:
        if name.startswith("-"):
            continue
        if subcommands(group[name]):
            yield from commands(group[name], f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}"


def subcommands(group: App) -> list[str]:
    return [name for name in group if not name.startswith("-")]


def is_setting(name: str) -> bool:
    return any(one == name or one.startswith(f"{name}.") for one in known_settings())


def is_file(name: str) -> bool:
    return name.endswith((".py", ".md", ".json", ".js", ".toml"))


def test_the_readme_names_the_commands_to_run_and_to_test() -> None:
    assert "`make run`" in read(ROOT / "README.md")
    assert "`make test`" in read(ROOT / "README.md")


@pytest.mark.parametrize("span", sorted(set(code_spans(ARCHITECTURE))))
def test_what_the_code_map_names_is_in_the_code(span: str) -> None:
    """Modules by their path in ``src/quire``, functions and classes by their name."""
    if re.fullmatch(r"[\w./-]+\.(py|json|md|toml)", span) or re.fullmatch(r"[\w./]+/", span):
        assert (SOURCE / span).exists() or (ROOT / span).exists()
    elif re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\(\))?", span):
        name = span.removesuffix("()").rpartition(".")[2]
        assert re.search(rf"\b{name}\b", all_source()) is not None


def all_source() -> str:
    return "\n".join(read(file) for file in sorted(SOURCE.rglob("*.py")))
