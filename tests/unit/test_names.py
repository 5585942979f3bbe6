"""The names of modules and classes say what they hold."""

import ast
import re
from functools import cache
from pathlib import Path

import quire

SOURCE = Path(quire.__file__).parent

MODULES = frozenset(
    re.findall(
        r"\w+",
        """
        announcement aside attaching belongings beside blueprint bookkeeping bus
        carrying_out collector correspond costs courier deliveries devices extras finding
        following foundation further gallery generation ground happening identifiers
        information intents keeping leaving letters naming nodes outgoing own_tables
        own_transactions parts
        passing people persons picking pictures placing postbox premises preparing presence
        prohibited remodel room rooms said several shaping sides staff standing sweep
        telling told towards turn understanding united uses vigil whole wishes withholding
        wording workshop
        """,
    )
)
"""Module names that describe nothing, as `telling` does."""

CLASSES = frozenset(
    re.findall(
        r"\w+",
        """
        Absent Alone Aside Attempts Begun Beside Chance Count Crowd Drawn Elsewhere Every
        Factor Facts Find Given Goal Gone Incoming Kept Known Lack Looking Made Mend Moved
        Nowhere Opening Owned Present Said Seen Share Shown Sum Taken Through Told Turn Use
        Wanted Wire Written
        """,
    )
)
"""Names of classes and type aliases that describe nothing outside of their module, as `Gone`."""

MEMBERS = frozenset(
    re.findall(
        r"\w+",
        """
        alone asked beside drawn everything far far_id far_table far_type gone held mend near
        near_id near_type placed prior said several tells tells_of_all told within
        """,
    )
)
"""Names of public functions and fields that say nothing, as `near` does."""

PARAMETERS = frozenset(
    re.findall(
        r"\w+",
        """
        answer answers apart aside asked begun behind beside besides chosen drawn everything far
        fault faults flaw flaws goal gone here kept lack made meant mend most near nothing placed
        prior question rights said seen shown standing steals taken tells theirs told unseen walked
        way ways what whole wish within without
        """,
    )
)
"""Names of parameters that say nothing about their values."""

CONSTANT_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        answer answers apart aside asked behind beside fault faults flaw kept lack made meant mend
        near odd place postbox question room said seen standing steal told walked wish
        """,
    )
)
"""Words that no name of a module constant contains."""


def _modules() -> list[Path]:
    return [path for path in SOURCE.rglob("*.py") if "__pycache__" not in path.parts]


@cache
def _trees() -> list[tuple[Path, ast.Module]]:
    """The modules, each parsed once."""
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(_modules())]


@cache
def _nodes() -> list[tuple[Path, ast.AST]]:
    """Classes and parameters of all modules."""
    return [
        (path.relative_to(SOURCE), node)
        for path, tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.arg)
    ]


def test_modules_have_descriptive_names() -> None:
    names = {path.relative_to(SOURCE).with_suffix("") for path in _modules()}
    assert [str(name) for name in sorted(names) if MODULES.intersection(name.parts)] == []


def test_classes_have_descriptive_names() -> None:
    found = [
        f"{path}:{node.lineno}: {node.name}"
        for path, node in _nodes()
        if isinstance(node, ast.ClassDef)
        and (node.name.strip("_") in CLASSES or re.match(r"_?Shown[A-Z]", node.name))
    ]
    assert found == []


def test_type_aliases_have_descriptive_names() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {target.id}"
        for path, tree in _trees()
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.strip("_") in CLASSES
    ]
    assert found == []


def test_parameters_have_descriptive_names() -> None:
    found = [
        f"{path}:{node.lineno}: {node.arg}"
        for path, node in _nodes()
        if isinstance(node, ast.arg) and node.arg.strip("_") in PARAMETERS
    ]
    assert found == []


def test_constants_have_descriptive_names() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {target.id}"
        for path, tree in _trees()
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
        and target.id.isupper()
        and CONSTANT_WORDS.intersection(target.id.lower().split("_"))
    ]
    assert found == []


def test_functions_and_fields_have_descriptive_names() -> None:
    found: list[str] = []
    for path, tree in _trees():
        bodies = [tree.body, *(n.body for n in ast.walk(tree) if isinstance(n, ast.ClassDef))]
        for node in (node for body in bodies for node in body):
            match node:
                case (
                    ast.FunctionDef(name=name)
                    | ast.AsyncFunctionDef(name=name)
                    | ast.AnnAssign(target=ast.Name(id=name))
                ) if name in MEMBERS:
                    found.append(f"{path.relative_to(SOURCE)}:{node.lineno}: {name}")
    assert found == []
