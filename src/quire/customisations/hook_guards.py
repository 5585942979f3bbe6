"""Guards of content in JavaScript around documents, and the policies that take their place."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from quire.errors import AccessDeniedError
from quire.hooks.policies import READ_ACTIONS, Policy, PolicyContext, RuleAction

_CORE_NAMES = {"find_one": "findOne", "discard_draft": "discardDraft"}


class HookGuard(Struct, frozen=True, kw_only=True):
    """Code that may guard actions on a content type, and does not run.

    ``code`` says what it is, ``reason`` what it does. ``place`` is the file and line of the code,
    ``file`` is the one that Python code has to replace. ``in_admin`` limits it to administrators.
    """

    uid: str
    actions: tuple[RuleAction, ...]
    code: str
    reason: str
    place: str
    file: str
    in_admin: bool = False

    @property
    def core_actions(self) -> tuple[str, ...]:
        """The actions as Strapi names them."""
        return tuple(_CORE_NAMES.get(action, action) for action in self.actions)

    def explanation(self, actions: Iterable[str]) -> str:
        """Return why actions are closed, and how the code is ported."""
        is_read = [action in READ_ACTIONS for action in actions]
        decorators = "@around, @rule or @before_write"
        if all(is_read):
            decorators = "@around or @rule"
        elif not any(is_read):
            decorators = "@before_write or @around"
        return (
            f"the {self.code} in {self.place} {self.reason}, and does not run. "
            f'Port it to {decorators} with replaces="{self.file}"'
        )

    def policy(self) -> Policy:
        """Return a policy that refuses the actions."""

        def refuse(context: PolicyContext) -> None:
            if self.in_admin and context.principal.kind != "admin":
                return
            reason = self.explanation((context.action,))
            raise AccessDeniedError(f"{self.uid} is closed for {context.action}: {reason}")

        file, _, line = self.place.rpartition(":")
        return Policy(
            uid=self.uid,
            on=self.actions,
            function=refuse,
            name=self.code,
            file=file,
            line=int(line),
        )


def hook_policies(guards: Sequence[HookGuard]) -> tuple[Policy, ...]:
    """Return the policies that refuse what code guards."""
    return tuple(guard.policy() for guard in guards)
