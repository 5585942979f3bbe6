"""Checks functions around actions, rules, policies and computed fields of content types."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import replace

from quire.extension_loading.mark_check import MarkCheck
from quire.extension_loading.module_import import ExtensionProblem
from quire.hooks.around import AroundCall, AroundMark, around_calls
from quire.hooks.computed import ComputedField, ComputedMark
from quire.hooks.marks import HookMark
from quire.hooks.policies import RULE_ACTIONS, Policy, PolicyMark, Rule, RuleMark
from quire.hooks.registry import Extensions, Hook
from quire.hooks.write import PREPARE_ACTIONS, WRITE_ACTIONS, WriteAction
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.model import USER_UID, ContentType, Schema

G = TypeVar("G", Rule, Policy)


class HookCheck(MarkCheck[HookMark]):
    """The check of one mark."""

    def hooks(self) -> list[Hook]:
        """Return a hook for each content type; they are ignored if there are problems."""
        mark = self.mark
        self.check_signature(["the writes" if mark.batch is True else "the write"])
        if not isinstance(mark.batch, bool):
            self.report(f"batch must be True or False, not {mark.batch!r}")
        allowed_actions = PREPARE_ACTIONS if mark.phase == "prepare" else WRITE_ACTIONS
        actions: list[WriteAction] = self.actions(mark.on, allowed_actions)
        order = self.order(mark.order)
        needs = self.names(mark.needs, "needs")
        types = self.types()
        for content_type in types:
            self.check_fields(content_type, needs)
        return [
            Hook(
                phase=mark.phase,
                uid=content_type.uid,
                on=self.actions_of(content_type, actions),
                function=self.function,  # type: ignore[arg-type]  # its signature was checked
                name=self.name,
                file=self.file,
                line=self.line,
                document=self.document(),
                needs=tuple(needs),
                batch=mark.batch,
                order=order,
            )
            for content_type in types
        ]


class ComputedCheck(MarkCheck[ComputedMark]):
    """The check of one mark."""

    def fields(self) -> list[ComputedField]:
        """Return a field for each content type; they are ignored if there are problems."""
        mark = self.mark
        self.check_signature(["the documents" if mark.batch is True else "the document"])
        for option in ("batch", "default", "volatile"):
            if not isinstance(getattr(mark, option), bool):
                self.report(f"{option} must be True or False, not {getattr(mark, option)!r}")
        if inspect.iscoroutinefunction(self.function) and not mark.batch:
            self.report(f"{self.name} is an async def: use batch=True, which asks once a page")
        json_schema = self._json_schema()
        needs, reveals = self.names(mark.needs, "needs"), self.names(mark.reveals, "reveals")
        types = self.types()
        for content_type in types:
            self.check_fields(content_type, needs)
            for problem in self._type_problems(content_type, needs, reveals):
                self.report(problem)
        return [
            ComputedField(
                uid=content_type.uid,
                name=self.name,
                function=self.function,  # type: ignore[arg-type]  # its signature was checked
                needs=tuple(dict.fromkeys(("documentId", *needs))),
                reveals=tuple(reveals),
                batch=mark.batch,
                default=mark.default,
                volatile=mark.volatile,
                json_schema=json_schema,
                file=self.file,
                line=self.line,
                document=self.document(),
            )
            for content_type in types
        ]

    def _type_problems(
        self, content_type: ContentType, needs: Sequence[str], reveals: Sequence[str]
    ) -> Iterator[str]:
        if content_type.uid == USER_UID:
            yield "end users have no computed fields"
        if self.name in content_type.attributes:
            yield f'{content_type.uid} has an attribute "{self.name}" already'
        for name in reveals:
            if name not in needs:
                yield f'the field "{name}" in reveals is not in needs'
        for name in needs:
            attribute = content_type.attributes.get(name)
            if attribute is None:
                continue
            if not isinstance(attribute, ScalarAttribute):
                yield f'the field "{name}" in needs is no value of the document itself'
            elif attribute.private and name not in reveals:
                yield f'the field "{name}" in needs is private: name it in reveals, too'

    def _json_schema(self) -> Mapping[str, Any]:
        """Return the JSON schema of the values, from the return annotation of the function."""
        if not inspect.isfunction(self.function):
            return {}
        try:
            hint = get_type_hints(self.function).get("return")
        except Exception as error:  # noqa: BLE001 - an annotation may be any expression
            self.report(f"an annotation cannot be evaluated: {type(error).__name__}: {error}")
            return {}
        if self.mark.batch is True:
            arguments = get_args(hint)
            is_list = get_origin(hint) in {list, Sequence} and len(arguments) == 1
            hint = arguments[0] if is_list else None
        if hint is None or hint is type(None):
            example = "list[int]" if self.mark.batch is True else "int"
            self.report(f"{self.name} needs a type of what it returns, such as -> {example}")
            return {}
        try:
            json_schema = msgspec.json.schema(hint)
        except TypeError as error:
            self.report(f"{self.name} returns what no response can show: {error}")
            return {}
        if "$ref" in str(json_schema):
            self.report(f"{self.name} must return plain values, lists or dicts, not {hint!r}")
        return json_schema


class AroundCheck(MarkCheck[AroundMark]):
    """The check of one mark."""

    def calls(self) -> list[AroundCall]:
        """Return a function for each content type; they are ignored if there are problems."""
        mark = self.mark
        self.check_signature(["the call", "proceed"])
        if inspect.isfunction(self.function) and not inspect.iscoroutinefunction(self.function):
            self.report(f"{self.name} must be an async def, which awaits proceed(call)")
        actions = self.actions(mark.on, RULE_ACTIONS)
        order = self.order(mark.order)
        return [
            AroundCall(
                uid=content_type.uid,
                on=self.actions_of(content_type, actions),
                function=self.function,  # type: ignore[arg-type]  # its signature was checked
                name=self.name,
                file=self.file,
                line=self.line,
                document=self.document(),
                order=order,
            )
            for content_type in self.types()
        ]


class RuleOrPolicyCheck(MarkCheck[RuleMark | PolicyMark]):
    """The check of one mark of a rule or a policy."""

    def guards(self, kind: type[G], argument: str) -> list[G]:
        """Return a rule or policy for each content type; they are ignored if there are problems.

        ``argument`` describes what the function takes.
        """
        self.check_signature([argument])
        self.check_plain()
        actions = self.actions(self.mark.on, RULE_ACTIONS)
        return [
            kind(
                uid=content_type.uid,
                on=self.actions_of(content_type, actions),
                function=self.function,  # type: ignore[arg-type]  # its signature was checked
                name=self.name,
                file=self.file,
                line=self.line,
            )
            for content_type in self.types()
        ]


class ContentChecks:
    """The checks of all kinds, and their problems."""

    def __init__(self, schema: Schema) -> None:
        self.problems: list[ExtensionProblem] = []
        self._schema = schema
        self._around: list[AroundCall] = []
        self._rules: list[Rule] = []
        self._policies: list[Policy] = []
        self._computed: dict[str, dict[str, ComputedField]] = {}

    def add(self, file: str, name: str, function: object, mark: object) -> bool:
        """Check one mark of a function; tells whether it is of one of these kinds."""
        match mark:
            case AroundMark():
                around_check = AroundCheck(self._schema, file, name, function, mark)
                self._around += around_check.calls()
                self.problems += around_check.problems
            case RuleMark() | PolicyMark():
                guard_check = RuleOrPolicyCheck(self._schema, file, name, function, mark)
                if isinstance(mark, RuleMark):
                    self._rules += guard_check.guards(Rule, "the principal")
                else:
                    self._policies += guard_check.guards(Policy, "the context")
                self.problems += guard_check.problems
            case ComputedMark():
                computed_check = ComputedCheck(self._schema, file, name, function, mark)
                for field in computed_check.fields():
                    self._add_computed(computed_check, field)
                self.problems += computed_check.problems
            case _:
                return False
        return True

    def _add_computed(self, check: ComputedCheck, field: ComputedField) -> None:
        type_fields = self._computed.setdefault(field.uid, {})
        other = type_fields.setdefault(field.name, field)
        if other is not field:
            check.report(
                f'{field.uid} has a computed field "{field.name}" at {other.place} already'
            )

    def added_to(self, extensions: Extensions) -> Extensions:
        """Return a snapshot with the checked definitions."""
        return replace(
            extensions,
            around=around_calls(self._around),
            rules=tuple(self._rules),
            policies=tuple(self._policies),
            computed=self._computed,
        )
