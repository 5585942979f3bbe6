"""``quire.mail``: mails that the code of projects sends, by the server that the settings name."""

from collections.abc import Sequence

from quire.document_service.extension_context import current_context, refuse_in_transaction
from quire.mail.message import Mail
from quire.mail.senders import Sender


class MailClient:
    """Sends mails; ``sender`` takes the place of the server that the settings name, for tests."""

    def __init__(self) -> None:
        self.sender: Sender | None = None

    async def send(
        self,
        to: str | Sequence[str],
        *,
        subject: str,
        text: str | None = None,
        html: str | None = None,
        sender: str | None = None,
        reply_to: str | None = None,
        cc: Sequence[str] = (),
        bcc: Sequence[str] = (),
    ) -> None:
        """Hand a mail over to the SMTP server; in development without one it is printed.

        Addresses may carry a name, ``"Ann <ann@example.org>"``. At least one of ``text`` and
        ``html`` is needed. Without ``sender`` it comes from ``mail.sender`` of the settings. Raises
        MailError for what is no address and when the server does not take it, ValueError for a
        mail to nobody or without content, and UnitOfWorkError within a transaction in development;
        in production the log says once for each line that it happened.
        """
        recipients = (to,) if isinstance(to, str) else tuple(to)
        if not (recipients or cc or bcc):
            message = "the mail is to nobody"
            raise ValueError(message)
        if text is None and html is None:
            message = "the mail has neither text nor html"
            raise ValueError(message)
        context = current_context()
        refuse_in_transaction("mail.send")
        taker = self.sender or context.engine.mail
        await taker.send(
            Mail(
                to=recipients,
                subject=subject,
                html=html,
                text=text,
                sender=sender,
                reply_to=reply_to,
                cc=tuple(cc),
                bcc=tuple(bcc),
            )
        )


mail = MailClient()
