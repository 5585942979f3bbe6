"""Checks rules, policies and computed fields: what code says of content types beside hooks."""

from msgspec.structs import replace

from quire.extensions.computed_check import ComputedCheck
from quire.extensions.mark_check import MarkCheck
from quire.extensions.modules import ExtensionProblem
from quire.hooks.computed import ComputedField, ComputedMark
from quire.hooks.extensions import Extensions
from quire.hooks.policies import Policy, PolicyMark
from quire.hooks.rules import RULE_ACTIONS, Rule, RuleMark
from quire.schema.model import Schema


class RuleCheck(MarkCheck[RuleMark]):
    """The check of one mark."""

    def rules(self) -> list[Rule]:
        """Return a rule for each content type; none of them counts when there are problems."""
        self.check_signature(["the principal"])
        self.check_plain()
        actions = self.actions(self.mark.on, RULE_ACTIONS)
        return [
            Rule(
                uid=content_type.uid,
                on=self.actions_of(content_type, actions),
                function=self.function,  # type: ignore[arg-type]  # its signature was checked
                name=self.name,
                file=self.file,
                line=self.line,
            )
            for content_type in self.types()
        ]


class PolicyCheck(MarkCheck[PolicyMark]):
    """The check of one mark."""

    def policies(self) -> list[Policy]:
        """Return a policy for each content type; none of them counts when there are problems."""
        self.check_signature(["the context"])
        self.check_plain()
        actions = self.actions(self.mark.on, RULE_ACTIONS)
        return [
            Policy(
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
    """The checks of all kinds, with all problems that were found."""

    def __init__(self, schema: Schema) -> None:
        self.problems: list[ExtensionProblem] = []
        self._schema = schema
        self._rules: list[Rule] = []
        self._policies: list[Policy] = []
        self._computed: dict[str, dict[str, ComputedField]] = {}

    def add(self, file: str, name: str, function: object, mark: object) -> bool:
        """Check one mark of a function; tells whether it is of one of these kinds."""
        match mark:
            case RuleMark():
                rule_check = RuleCheck(self._schema, file, name, function, mark)
                self._rules += rule_check.rules()
                self.problems += rule_check.problems
            case PolicyMark():
                policy_check = PolicyCheck(self._schema, file, name, function, mark)
                self._policies += policy_check.policies()
                self.problems += policy_check.problems
            case ComputedMark():
                computed_check = ComputedCheck(self._schema, file, name, function, mark)
                for one in computed_check.fields():
                    self._add_computed(computed_check, one)
                self.problems += computed_check.problems
            case _:
                return False
        return True

    def _add_computed(self, check: ComputedCheck, one: ComputedField) -> None:
        own = self._computed.setdefault(one.uid, {})
        other = own.setdefault(one.name, one)
        if other is not one:
            check.report(f'{one.uid} has a computed field "{one.name}" at {other.place} already')

    def added_to(self, extensions: Extensions) -> Extensions:
        """Return a snapshot with what was checked."""
        return replace(
            extensions,
            rules=tuple(self._rules),
            policies=tuple(self._policies),
            computed=self._computed,
        )
