import os
import subprocess
import sys
from pathlib import Path

from bench import subject
from bench.subject import read_statements


def test_a_trace_gives_the_statements_that_read_in_their_order() -> None:
    lines = [
        '["BEGIN", []]\n',
        '["select a from t where b = ?", ["x"]]\n',
        '["PRAGMA data_version", []]\n',
        '["WITH k AS (SELECT 1) SELECT * FROM k", []]\n',
        '["UPDATE t SET a = 1", []]\n',
    ]
    assert read_statements(lines) == [
        ("select a from t where b = ?", ["x"]),
        ("WITH k AS (SELECT 1) SELECT * FROM k", []),
    ]


def run_with_tracing(program: str, **environment: str) -> str:
    """Run a program in a Python that is set up as a traced server is; return what it prints."""
    tracing = Path(subject.__file__).parent / "tracing"
    finished = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tracing), **environment},
    )
    assert finished.stderr == ""
    return finished.stdout


def test_every_statement_of_a_traced_process_is_written_down(tmp_path: Path) -> None:
    path = tmp_path / "statements.jsonl"
    run_with_tracing(
        "import apsw; apsw.Connection('').execute('SELECT ?', ('é',)).fetchall()",
        QUIRE_BENCH_TRACE=str(path),
    )
    assert read_statements(path.read_text(encoding="utf-8").splitlines()) == [("SELECT ?", ["é"])]


def test_a_process_is_not_traced_unless_asked() -> None:
    assert run_with_tracing("import apsw; print(len(apsw.connection_hooks))") == "0\n"
