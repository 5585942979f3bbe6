"""Core actions that a project's controllers and services replace, and their replacements."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from quire.customisations.evaluated_code.checks import ScriptProject, check_action
from quire.customisations.evaluated_code.model import Script
from quire.customisations.javascript_files import SourceFile
from quire.customisations.query_change_analysis import understand_action
from quire.customisations.query_changes import QueryStep
from quire.customisations.reads import DocumentRead, ReadContext, understand_read
from quire.customisations.served_routes import CORE_ACTIONS
from quire.customisations.statements import NotUnderstoodError
from quire.javascript.scope import Module, NotPlainError
from quire.javascript.syntax import (
    Call,
    Declaration,
    Expression,
    Function,
    Object,
    Opaque,
    Property,
    Return,
)

_WRITE_ACTIONS = frozenset({"create", "update", "delete"})

Overrides = Mapping[str, Expression]
"""Methods of an object, by name."""


class Actions:
    """The actions of one controller.

    ``steps`` are the query changes of actions before they call the core, ``reads`` the reads of
    others; ``core`` is the core action that an own action ends with. ``scripts`` are evaluated for
    each request, and so are ``read_scripts``, instead of ``reads``, if code precedes them.
    ``closed`` says why core actions are not understood, ``own`` the same for other actions.
    """

    def __init__(self) -> None:
        self.steps: dict[str, tuple[QueryStep, ...]] = {}
        self.reads: dict[str, DocumentRead] = {}
        self.core: dict[str, str] = {}
        self.scripts: dict[str, Script] = {}
        self.read_scripts: dict[str, Script] = {}
        self.closed: dict[str, str] = {}
        self.own: dict[str, str] = {}

    def is_understood(self, name: str) -> bool:
        """Whether an action can be served."""
        return name not in self.closed and (
            name in CORE_ACTIONS or name in self.reads or name in self.core or name in self.scripts
        )


def read_controller(
    file: SourceFile, uid: str, project: ReadContext, scripts: ScriptProject
) -> Actions:
    """Return how a controller file changes the core actions of its type."""
    actions = Actions()
    module = file.module
    methods = factory_methods(module, "createCoreController", uid)
    if methods is None:
        _add_bare_controller(actions, module, uid, scripts)
        return actions
    outcome = factory_object(module, "createCoreController", uid) or Object(())
    for name, value in methods.items():
        _add_action(actions, module, name, value, uid, project)
        reasons = actions.closed if name in CORE_ACTIONS else actions.own
        if name in reasons:
            _add_script(actions, module, outcome, uid, name, scripts, is_core=True)
        elif name in actions.reads:
            with suppress(NotUnderstoodError):
                script = check_action(module, outcome, uid, name, scripts, is_core=True)
                actions.read_scripts[name] = script
    return actions


def _add_bare_controller(
    actions: Actions, module: Module, uid: str, scripts: ScriptProject
) -> None:
    """Add the actions of a controller without a core factory."""
    actions.closed = dict.fromkeys(CORE_ACTIONS, "has code of its own in place of the core")
    exported = module.exported
    if not module.is_known or not isinstance(exported, Function | Object):
        return
    for name in _methods(module, exported) or ():
        if name not in CORE_ACTIONS:
            actions.own[name] = ""
        _add_script(actions, module, exported, uid, name, scripts, is_core=False)


def _add_script(
    actions: Actions,
    module: Module,
    expression: Expression,
    uid: str,
    name: str,
    scripts: ScriptProject,
    *,
    is_core: bool,
) -> None:
    """Check whether an action can be evaluated for each request."""
    reasons = actions.closed if name in CORE_ACTIONS else actions.own
    try:
        actions.scripts[name] = check_action(
            module, expression, uid, name, scripts, is_core=is_core
        )
    except NotUnderstoodError as error:
        reasons[name] = f"has an action {name} that {error}"
    else:
        del reasons[name]


def _add_action(
    actions: Actions, module: Module, name: str, value: Expression, uid: str, project: ReadContext
) -> None:
    reasons = actions.closed if name in CORE_ACTIONS else actions.own
    function = module.followed(value)
    if not isinstance(function, Function):
        reasons[name] = f"has an action {name} that is computed"
        return
    try:
        core, actions.steps[name] = understand_action(module, name, function)
        actions.core[name] = core
    except NotUnderstoodError as error:
        reasons[name] = f"has an action {name} that {error}"
    if name in reasons:
        _add_read(actions, module, name, function, uid, project, reasons)


def _add_read(
    actions: Actions,
    module: Module,
    name: str,
    function: Function,
    uid: str,
    project: ReadContext,
    reasons: dict[str, str],
) -> None:
    """Check whether an action reads by itself instead of calling the core."""
    if name in _WRITE_ACTIONS:
        return
    try:
        actions.reads[name] = understand_read(module, uid, function, project)
    except NotUnderstoodError as error:
        reasons[name] = f"has an action {name} that {error}"
    else:
        del reasons[name]


def service_methods(file: SourceFile, uid: str) -> tuple[str, ...] | None:
    """Return the methods of a service file, ``None`` if they are not known for certain."""
    module = file.module
    methods = factory_methods(module, "createCoreService", uid)
    return None if methods is None else tuple(methods)


def factory_methods(module: Module, factory: str, uid: str) -> Overrides | None:
    """Return the methods that a call of a core factory adds, ``None`` if they are unknown."""
    expression = factory_object(module, factory, uid)
    return None if expression is None else _methods(module, expression)


def factory_object(module: Module, factory: str, uid: str) -> Expression | None:
    """Return the object or the function that a call of a core factory adds.

    ``None`` if it is unknown.
    """
    exported = module.exported
    if not module.is_known or not isinstance(exported, Call):
        return None
    if module.factory_name(exported) != factory:
        return None
    match exported.arguments:
        case (of,) if _is_text(module, of, uid):
            return Object(())
        case (of, added) if _is_text(module, of, uid):
            return module.followed(added)
        case _:
            return None


def _is_text(module: Module, expression: Expression, text: str) -> bool:
    try:
        return module.value(expression) == text
    except NotPlainError:
        return False


def _methods(module: Module, expression: Expression) -> Overrides | None:
    result = _returned_expression(expression)
    outcome = module.followed(result) if result is not None else None
    if not isinstance(outcome, Object):
        return None
    members = list(_members(outcome))
    return dict(members) if len(members) == len(outcome.members) else None


def _returned_expression(expression: Expression) -> Expression | None:
    """Return the second argument of a factory, or the object that this function returns."""
    if not isinstance(expression, Function):
        return expression
    if isinstance(expression.body, Opaque):
        return None
    if not isinstance(expression.body, tuple):
        return expression.body
    *declarations, last = expression.body or (Opaque(),)
    if not isinstance(last, Return) or not all(
        isinstance(statement, Declaration) for statement in declarations
    ):
        return None
    return last.value


def _members(node: Object) -> Iterator[tuple[str, Expression]]:
    for member in node.members:
        if isinstance(member, Property) and isinstance(member.key, str):
            yield member.key, member.value
