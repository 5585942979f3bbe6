"""Settings of a project's code: ``quire.toml``, variables, validation."""

from pathlib import Path

import pytest

from quire.cli import run
from quire.extension_loading import ExtensionError, import_modules, load_extensions
from quire.settings import load_settings
from tests.extending.project import FILE, IMPORTS, module, schema_in, write_code

CODE = """
from msgspec import Struct
class Retry(Struct):
    times: int
    pauses: list[float] = []
class SearchSettings(Struct, rename="kebab"):
    url: str
    key: str
    page_size: int = 20
    is_strict: bool = False
    retry: Retry | None = None
search = settings("search", SearchSettings)
"""
_LINE = IMPORTS.count("\n") + 12
TABLE = """
[extensions.config.search]
url = "https://search.example"
page-size = 5
retry = { times = 3 }
"""


def test_a_section_is_decoded_and_variables_take_precedence(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, CODE)
    (tmp_path / "quire.toml").write_text(TABLE)
    (tmp_path / ".env").write_text("SEARCH_KEY=from-file\nSEARCH_URL=https://other.example\n")
    environ = {
        "SEARCH_KEY": "s3cret",
        "SEARCH_IS_STRICT": "true",
        "SEARCH_RETRY": '{"times": 4, "pauses": [0.5]}',
    }

    load_extensions(tmp_path, schema, load_settings(tmp_path, environ=environ))

    search = module().search
    assert (search.url, search.key) == ("https://other.example", "s3cret")
    assert (search.page_size, search.is_strict) == (5, True)
    assert (search.retry.times, search.retry.pauses) == (4, [0.5])


@pytest.mark.parametrize(
    ("table", "environ", "message"),
    [
        ("", {}, "lacks url; it may also be the variable SEARCH_URL; "),
        ('url = ""', {}, "lacks key; it may also be the variable SEARCH_KEY"),
        (
            'url = ""\nkey = ""\npage-sise = 3',
            {},
            'has the key page-sise, which SearchSettings does not have; did you mean "page-size"?',
        ),
        ('url = ""\nkey = 7', {}, "[extensions.config.search] key: Expected `str`, got `int`"),
        (
            'url = ""\nkey = ""\nretry = { times = "x" }',
            {},
            "retry: Expected `int`, got `str` - at `$.times`",
        ),
        (
            'url = ""\nkey = ""',
            {"SEARCH_PAGE_SIZE": "many"},
            "SEARCH_PAGE_SIZE: Expected `int`, got `str`",
        ),
        (
            'url = ""\nkey = ""',
            {"SEARCH_RETRY": "{times"},
            "SEARCH_RETRY: Expected JSON",
        ),
    ],
)
def test_a_mistake_in_settings_is_reported_with_file_and_line_of_the_call(
    tmp_path: Path, table: str, environ: dict[str, str], message: str
) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, CODE)
    (tmp_path / "quire.toml").write_text(f"[extensions.config.search]\n{table}\n")
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema, load_settings(tmp_path, environ=environ))
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == (FILE, _LINE)
    assert message in problem.message
    assert "many" not in problem.message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('settings("a b", Struct)', "a section is a name of letters, digits, - and _"),
        ('settings("search", dict)', 'settings("search", …) takes a subclass of msgspec.Struct'),
    ],
)
def test_a_call_that_cannot_work_is_reported(tmp_path: Path, call: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"from msgspec import Struct\n{call}\n")
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema, load_settings(tmp_path, environ={}))
    assert message in str(caught.value)


def test_settings_cannot_be_read_when_the_code_has_been_loaded(tmp_path: Path) -> None:
    schema_in(tmp_path)
    write_code(tmp_path, "from msgspec import Struct\nread = lambda: settings('search', Struct)\n")
    import_modules(tmp_path, load_settings(tmp_path, environ={}))
    with pytest.raises(Exception, match="while the project's code is loaded"):
        module().read()


def test_settings_of_code_are_printed_without_their_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    schema_in(tmp_path)
    (tmp_path / "quire.toml").write_text(
        "[extensions.config.search]\n"
        'url = "https://search.example"\nkey = "hush-1"\n'
        'mirror = "redis://me:hush-2@mirror.example"\n'
        'retry = { access_token = "hush-3", times = 3 }\n'
    )
    monkeypatch.setenv("SEARCH_PASSPHRASE", "hush-4")

    assert run(["config", str(tmp_path)]) == 0

    printed = capsys.readouterr().out
    assert "hush" not in printed
    shown = 'search.url = "https://search.example"; search.key = (set); search.mirror = (set)'
    assert f"{shown}; search.retry.access_token = (set); search.retry.times = 3" in printed
    assert "extensions.config.search.passphrase" in printed
    assert "environment SEARCH_PASSPHRASE" in printed


def test_a_section_that_no_code_reads_is_a_warning_of_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    write_code(tmp_path, "from msgspec import Struct\nsettings('search', Struct)\n")
    (tmp_path / "quire.toml").write_text("[extensions.config.serach]\nurl = 'x'\n")
    run(["check", str(tmp_path)])
    expected = "[extensions.config.serach] is read by no code of the project; did you mean"
    assert expected in capsys.readouterr().out


def test_a_section_that_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "quire.toml").write_text("[extensions.config]\nsearch = 3\n")
    with pytest.raises(Exception, match="expected a table of tables, such as"):
        load_settings(tmp_path, environ={})
