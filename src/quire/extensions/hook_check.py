"""Checks functions that are marked as hooks of writes."""

from quire.extensions.mark_check import MarkCheck
from quire.hooks.extensions import Hook
from quire.hooks.marks import HookMark
from quire.hooks.write import WRITE_ACTIONS


class HookCheck(MarkCheck[HookMark]):
    """The check of one mark."""

    def hooks(self) -> list[Hook]:
        """Return a hook for each content type; none of them counts when there are problems."""
        mark = self.mark
        self.check_signature(["the write"])
        actions = self.actions(mark.on, WRITE_ACTIONS)
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
                order=order,
            )
            for content_type in types
        ]
