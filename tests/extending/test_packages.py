"""Installed packages with code: only those in the settings are imported."""

import hashlib
import json
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.cli import run
from quire.extension_loading import ExtensionError, load_extensions
from quire.extension_loading.package_loading import installed_packages
from quire.hooks.registry import Extensions
from quire.settings import load_settings
from tests.extending.project import schema_in, write_code

HOOKS = """
from quire import Document, Write, as_system, before_write, job, settings
from msgspec import Struct

class SearchSettings(Struct):
    url: str = "http://localhost"

search = settings("search", SearchSettings)

@before_write("api::paper.paper", on=["create"])
def index(write: Write[Document]) -> None:
    write.set(title="indexed")

@job()
async def reindex() -> None: ...

def act():
    with as_system("index"):
        return "acted"
"""
MAY = 'may = ["before_write", "job"]'


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the import path with an installed package."""
    folder = tmp_path / "site"
    install(folder, "quire_search", HOOKS)
    monkeypatch.syspath_prepend(folder)
    yield folder
    for name in [one for one in sys.modules if one.startswith("quire_search")]:
        del sys.modules[name]


def install(folder: Path, name: str, code: str, version: str = "1.4.0") -> None:
    """Write a package as an installer does."""
    package, info = folder / name, folder / f"{name}-{version}.dist-info"
    package.mkdir(parents=True)
    info.mkdir()
    files = {package / "__init__.py": "", package / "hooks.py": code}
    lines = []
    for path, text in files.items():
        path.write_text(text)
        digest = urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        lines.append(f"{path.relative_to(folder)},sha256={digest},{len(text)}")
    dashed = name.replace("_", "-").title()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dashed}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[quire.extensions]\nmain = {name}.hooks\n")
    (info / "RECORD").write_text("\n".join(lines) + "\n")


def load(project: Path, *lines: str) -> Extensions:
    """Load a project that allows the package by these lines."""
    schema = schema_in(project)
    entry = "\n".join(("[[extensions.packages]]", *lines)) if lines else ""
    (project / "quire.toml").write_text(f"{entry}\n")
    return load_extensions(project, schema, load_settings(project, environ={}))


NAME = 'name = "Quire_Search"'
VERSION = 'version = ">=1.2,<2"'


def test_an_installed_package_that_is_not_named_is_never_imported(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load(tmp_path).hooks == ()
    run(["check", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "quire-search 1.4.0 is installed, but extensions.packages does not name it" in printed
    assert run(["ext", "list", str(tmp_path)]) == 0
    assert "quire-search  1.4.0  not loaded" in capsys.readouterr().out
    assert "quire_search" not in sys.modules


def test_a_named_package_is_loaded_before_the_code_of_the_project(
    site: Path, tmp_path: Path
) -> None:
    write_code(tmp_path, '@before_write(PAPER, on=["create"])\ndef own(write): ...\n')
    extensions = load(tmp_path, NAME, VERSION, MAY)
    hooks = extensions.writes["api::paper.paper", "create"].before
    assert [hook.name for hook in hooks] == ["index", "own"]
    assert hooks[0].file == "packages/01/quire-search-1.4.0/quire_search.hooks"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['name = "quire-serch"', VERSION], 'did you mean "quire-search"'),
        ([NAME, 'version = ">=2"', MAY], "is installed as 1.4.0, which is not >=2"),
        ([NAME, 'version = "two"', MAY], '"two" is no version specifier'),
        ([NAME, VERSION, 'may = ["jobs"]'], 'may: unknown kind "jobs"; did you mean "job"?'),
        (
            [NAME, VERSION, MAY, f'record = "sha256:{"0" * 64}"'],
            "the list of its files is not the one of `record`",
        ),
    ],
)
def test_a_package_that_is_not_as_the_settings_say_is_not_imported(
    site: Path, tmp_path: Path, lines: list[str], message: str
) -> None:
    with pytest.raises(ExtensionError) as caught:
        load(tmp_path, *lines)
    assert message in str(caught.value)
    assert "quire_search" not in sys.modules


def test_a_package_does_not_load_beyond_what_it_may(site: Path, tmp_path: Path) -> None:
    with pytest.raises(ExtensionError, match="does more than it may: add job to its `may`"):
        load(tmp_path, NAME, VERSION, 'may = ["before_write"]')


def test_a_package_replaces_javascript_only_if_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replacing = 'on=["create"], replaces="src/api/paper/policies/is-owner.js"'
    code = HOOKS.replace('on=["create"]', replacing)
    install(tmp_path / "site", "quire_search", code)
    monkeypatch.syspath_prepend(tmp_path / "site")
    try:
        with pytest.raises(ExtensionError, match="does more than it may: add replaces to its"):
            load(tmp_path, NAME, VERSION, MAY)
        extensions = load(tmp_path, NAME, VERSION, MAY.replace("]", ', "replaces"]'))
        assert [*extensions.replaced] == ["src/api/paper/policies/is-owner.js"]
    finally:
        for name in [one for one in sys.modules if one.startswith("quire_search")]:
            del sys.modules[name]


def test_a_changed_file_is_found_by_the_record(site: Path, tmp_path: Path) -> None:
    record = f'record = "{installed_packages()["quire-search"].record}"'
    assert load(tmp_path, NAME, VERSION, MAY, record).hooks
    file = site / "quire_search" / "hooks.py"
    file.write_text(file.read_text() + "\n")
    with pytest.raises(ExtensionError, match=r"hooks.py is not the file that was installed"):
        load(tmp_path, NAME, VERSION, MAY, record)


def test_only_a_package_that_may_acts_as_the_system(site: Path, tmp_path: Path) -> None:
    load(tmp_path, NAME, VERSION, MAY)
    hooks = sys.modules["quire_search.hooks"]
    with pytest.raises(Exception, match="Forbidden"):
        hooks.act()
    load(tmp_path, NAME, VERSION, 'may = ["before_write", "job", "as_system"]')
    assert hooks.act() == "acted"


def test_an_entry_for_a_package_is_added(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load(tmp_path)
    (tmp_path / "quire.toml").write_text("# Kept.\n[extensions.config.search]\nurl = 'x'\n")
    assert run(["ext", "add", "quire_search", str(tmp_path)]) == 0
    written = (tmp_path / "quire.toml").read_text()
    assert written.startswith("# Kept.")
    assert 'version = ">=1.4.0,<2"' in written
    assert MAY in written
    schema = schema_in(tmp_path)
    assert load_extensions(tmp_path, schema, load_settings(tmp_path, environ={})).hooks
    assert run(["ext", "add", "quire-search", str(tmp_path)]) == 2
    assert run(["ext", "add", "quire-serch", str(tmp_path)]) == 2
    assert 'did you mean "quire-search"' in capsys.readouterr().err


OTHER_TYPE = {
    "kind": "collectionType",
    "info": {"singularName": "book", "pluralName": "books", "displayName": "Book"},
    "attributes": {"isbn": {"type": "string", "pluginOptions": {"quire": {"type": "isbn"}}}},
}


def test_the_entry_of_a_package_is_updated(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = installed_packages()["quire-search"].record
    old = f'record = "sha256:{"0" * 64}"'
    other = '\n[extensions.config.search] # Kept.\nurl = "x"\nrecord = "y"\n'
    schema_file = tmp_path / "src/api/book/content-types/book/schema.json"
    schema_file.parent.mkdir(parents=True)
    schema_file.write_text(json.dumps(OTHER_TYPE))
    with pytest.raises(ExtensionError) as caught:
        load(tmp_path, NAME, VERSION, MAY, old)
    (problem,) = caught.value.problems
    assert problem.message.endswith("run `quire ext update quire-search`"), (
        "nothing about the attribute type that the package might define"
    )
    settings = tmp_path / "quire.toml"
    for version, expected in ((VERSION, VERSION), ('version = "<1"', 'version = ">=1.4.0,<2"')):
        entry = f"# First.\n[[extensions.packages]]\n{NAME}\n{version}\n{MAY}\n{old}"
        settings.write_text(f"{entry}\n{other}")
        assert run(["ext", "update", "quire_search", str(tmp_path)]) == 0
        changed = entry.replace(old, f'record = "{record}"').replace(version, expected)
        assert settings.read_text() == f"{changed}\n{other}"
    capsys.readouterr()
    assert run(["ext", "update", "quire-search", str(tmp_path)]) == 0
    assert "allows quire-search 1.4.0 already" in capsys.readouterr().err

    settings.write_text(
        f'[extensions]\npackages = [{{ name = "quire-search", version = "<2", {old} }}]\n'
    )
    assert run(["ext", "update", "quire-search", str(tmp_path)]) == 2
    assert f'Write yourself:\nrecord = "{record}"' in capsys.readouterr().err
    settings.write_text("")
    assert run(["ext", "update", "quire-search", str(tmp_path)]) == 2
    assert "run `quire ext add quire-search`" in capsys.readouterr().err


def test_a_package_without_the_module_of_its_input_is_told_how_to_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
from quire import AdminInput, AttributeOptions, AttributeType, attribute_type

@attribute_type("isbn")
class Isbn(AttributeType[str, AttributeOptions]):
    stores = "string"
    admin = AdminInput(module="admin/isbn.js", element="books-isbn")

    def parse(self, value, options):
        return value
"""
    install(tmp_path / "site", "quire_books", code)
    monkeypatch.syspath_prepend(tmp_path / "site")
    message = r'quire_books/; a build .*package-data\] quire_books = \["\*\*/\*.js"\]'
    try:
        with pytest.raises(ExtensionError, match=message):
            load(tmp_path, 'name = "quire-books"', VERSION, 'may = ["attribute_type"]')
    finally:
        for name in [one for one in sys.modules if one.startswith("quire_books")]:
            del sys.modules[name]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("name = 3", "expected a list of tables with name, version, may and record"),
        ('name = "a"', "a needs the versions that may be loaded"),
        ('name = "a"\nversion = "1"\nmust = []', "expected a list of tables"),
        ('name = "a"\nversion = "1"\nrecord = "x"', 'record must be "sha256:"'),
    ],
)
def test_an_entry_that_cannot_be_is_refused(tmp_path: Path, entry: str, message: str) -> None:
    (tmp_path / "quire.toml").write_text(f"[[extensions.packages]]\n{entry}\n")
    with pytest.raises(Exception, match="1 problem") as caught:
        load_settings(tmp_path, environ={})
    assert message in str(caught.value)
