"""Checks functions that are marked as rules."""

from quire.extensions.mark_check import MarkCheck
from quire.hooks.rules import RULE_ACTIONS, Rule, RuleMark


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
