"""``quire hooks``: lists the hooks, rules and routes of a project's Python code."""

from collections.abc import Iterator
from pathlib import Path

from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import EXIT_OK, print_message, print_result
from quire.errors import ApplicationError
from quire.extension_loading import load_extensions
from quire.hooks.after_commit import ChangeListener
from quire.hooks.around import AroundCall
from quire.hooks.computed import ComputedField
from quire.hooks.errors import nearest
from quire.hooks.jobs import JobDefinition
from quire.hooks.policies import Policy, Rule
from quire.hooks.registry import Extensions, Hook, WriteHooks
from quire.hooks.routes import CustomRoute
from quire.hooks.schedules import ScheduleDefinition
from quire.hooks.startup_shutdown import LifecycleFunction
from quire.hooks.write import WRITE_ACTIONS
from quire.strapi_project.schema import load_project_schema


def list_hooks(project: Path, uid: str | None) -> int:
    """Print the hooks, rules and routes of all content types or of one; hooks in call order.

    Raises ApplicationError for an unknown content type, and ExtensionError for mistakes in code.
    """
    settings = load_logged(project)
    require_project(settings)
    schema = load_project_schema(settings)
    if uid is not None and uid not in schema.content_types:
        content_types = schema.content_types
        raise ApplicationError(f"There is no content type {uid}{nearest(uid, content_types)}")
    extensions = load_extensions(settings.project, schema, settings)
    lines = [*_around_lines(extensions, uid), *_hook_lines(extensions, uid)]
    lines += _rule_lines(extensions, uid)
    lines += _policy_lines(extensions, uid)
    lines += _computed_lines(extensions, uid)
    lines += [*_route_lines(extensions, uid), *_job_lines(extensions, uid)]
    lines += _lifecycle_lines(extensions, uid)
    lines += declaration_lines(extensions) if uid is None else ()
    for line in lines:
        print_result(line)
    if not lines:
        print_message("No Python code runs here.")
    return EXIT_OK


def _hook_lines(extensions: Extensions, uid: str | None) -> Iterator[str]:
    for content_type, action in sorted(
        {*extensions.writes, *extensions.prepare},
        key=lambda key: (key[0], WRITE_ACTIONS.index(key[1])),
    ):
        if uid in {None, content_type}:
            yield f"{content_type}  {action}"
            hooks = extensions.writes.get((content_type, action), WriteHooks())
            prepare = extensions.prepare.get((content_type, action), ())
            for hook in (*prepare, *hooks.before, *hooks.after):
                batch = "  batch" if hook.batch else ""
                yield f"  {hook.phase:<12}  {hook.name}  {hook.place}{_needs(hook)}{batch}"
            for listener in hooks.listeners:
                yield f"  after_commit  {listener.name}  {listener.place}"


def _around_lines(extensions: Extensions, uid: str | None) -> Iterator[str]:
    for (content_type, action), functions in extensions.around.items():
        if uid in {None, content_type}:
            for function in functions:
                yield f"{content_type}  around {action}  {function.name}  {function.place}"


def _rule_lines(extensions: Extensions, uid: str | None) -> Iterator[str]:
    for rule in extensions.rules:
        if uid in {None, rule.uid}:
            yield f"{rule.uid}  rule on {', '.join(rule.on)}  {rule.name}  {rule.place}"


def _policy_lines(extensions: Extensions, uid: str | None) -> Iterator[str]:
    for policy in extensions.policies:
        if uid in {None, policy.uid}:
            yield f"{policy.uid}  policy on {', '.join(policy.on)}  {policy.name}  {policy.place}"


def _computed_lines(extensions: Extensions, uid: str | None) -> Iterator[str]:
    for content_type, fields in extensions.computed.items():
        for field in fields.values() if uid in {None, content_type} else ():
            needs = ", ".join(field.needs)
            yield f"{content_type}  computed field  {field.name}  {field.place}  needs {needs}"


def _route_lines(extensions: Extensions, uid: str | None) -> Iterator[str]:
    for route in extensions.routes:
        if uid is None or route.action.rpartition(".")[0] == uid:
            permission = "public" if route.public else route.action
            yield f"{route.method} /{route.path}  {permission}  {route.name}  {route.place}"


def _job_lines(extensions: Extensions, uid: str | None) -> Iterator[str]:
    for job in extensions.jobs if uid is None else ():
        yield f"job  {job.name}  {job.place}{_options(job)}"
    for schedule in extensions.schedules if uid is None else ():
        moment = f'"{schedule.cron}" {schedule.tz}'
        yield f"schedule  {moment}  {schedule.name}  {schedule.job.place}"


def declaration_lines(extensions: Extensions) -> Iterator[str]:
    """Yield a line for each declaration that is not about one content type."""
    for middleware in extensions.middlewares:
        yield f"{middleware.place}: asgi_middleware {middleware.name} wraps the server"
    for strategy in extensions.strategies:
        yield f'{strategy.place}: auth_strategy "{strategy.name}" says who sends requests'
    for backend in extensions.storage_backends.values():
        yield f'{backend.place}: storage_backend "{backend.name}" stores uploaded files'
    for operator in extensions.operators.values():
        types = ", ".join(sorted(operator.on))
        yield f"{operator.place}: operator {operator.name} compares {types}"
    for type_ in extensions.attribute_types.values():
        yield f"{type_.place}: attribute_type {type_.name} is stored as {type_.stores}"


def _lifecycle_lines(extensions: Extensions, uid: str | None) -> Iterator[str]:
    for function in extensions.lifecycle if uid is None else ():
        yield f"{function.moment}  {function.name}  {function.place}"


def hook_line(hook: Hook) -> str:
    """Describe a hook in one line."""
    actions = ", ".join(hook.on)
    return f"{hook.place}: {hook.phase} {hook.name} runs on {actions} of {hook.uid}"


def around_line(call: AroundCall) -> str:
    """Describe a function around actions in one line."""
    return f"{call.place}: around {call.name} wraps {', '.join(call.on)} of {call.uid}"


def policy_line(policy: Policy) -> str:
    """Describe a policy in one line."""
    actions = ", ".join(policy.on)
    return f"{policy.place}: policy {policy.name} is asked before {actions} of {policy.uid}"


def rule_line(rule: Rule) -> str:
    """Describe a rule in one line."""
    return f"{rule.place}: rule {rule.name} limits {', '.join(rule.on)} of {rule.uid}"


def computed_line(field: ComputedField) -> str:
    """Describe a computed field in one line."""
    requests = "all responses" if field.default else "responses to requests that name it"
    return f"{field.place}: computed field {field.name} of {field.uid} is in {requests}"


def lifecycle_line(function: LifecycleFunction) -> str:
    """Describe a function that runs at the start or stop of a server, in one line."""
    return f"{function.place}: {function.moment} {function.name} runs in each server process"


def route_line(route: CustomRoute) -> str:
    """Describe a route and its permission in one line."""
    audience = "everybody" if route.public else f"who is granted {route.action}"
    return f"{route.place}: {route.method} /{route.path} answers {audience}"


def job_line(job: JobDefinition) -> str:
    """Describe a job in one line."""
    return f"{job.place}: job {job.name} runs in the background"


def listener_line(listener: ChangeListener) -> str:
    """Describe the changes that a function receives, in one line."""
    actions = ", ".join(listener.on)
    return f"{listener.place}: after_commit {listener.name} runs on {actions} of {listener.uid}"


def schedule_line(schedule: ScheduleDefinition) -> str:
    """Describe a schedule in one line."""
    moment = f'"{schedule.cron}" in {schedule.tz}'
    return f"{schedule.job.place}: schedule {schedule.name} runs at {moment}"


def _options(job: JobDefinition) -> str:
    queue = "" if job.queue == "default" else f"  queue {job.queue}"
    exclusion = "" if job.one_at_a_time is None else f'  one at a time of "{job.one_at_a_time}"'
    return f"{queue}{exclusion}"


def _needs(hook: Hook) -> str:
    return f"  needs {', '.join(hook.needs)}" if hook.needs else ""
