"""Checks functions that are marked as policies."""

from quire.extensions.mark_check import MarkCheck
from quire.hooks.policies import Policy, PolicyMark
from quire.hooks.rules import RULE_ACTIONS


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
