"""A mail, and its MIME form.

Header values are sanitized here: line breaks and other control characters in names and subjects
become spaces, and an address with one of them is invalid.
"""

import re
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr
from html.parser import HTMLParser

from msgspec import Struct

from quire.errors import MailError

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_BLOCKS = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6"})


class Mail(Struct, frozen=True, kw_only=True):
    """A mail to send; addresses may have a name, ``Name <name@example.org>``.

    One of ``html`` and ``text`` is enough. Without ``sender`` the configured one is used.
    """

    to: tuple[str, ...]
    subject: str
    html: str | None = None
    text: str | None = None
    sender: str | None = None
    reply_to: str | None = None
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()


def compose(mail: Mail, sender: str) -> EmailMessage:
    """Return the MIME form of a mail; ``sender`` is the default sender.

    Raises MailError for an invalid address.
    """
    message = EmailMessage()
    sender_address = address(mail.sender or sender)
    message["From"] = sender_address
    message["To"] = [address(text) for text in mail.to]
    if mail.cc:
        message["Cc"] = [address(text) for text in mail.cc]
    if mail.bcc:
        message["Bcc"] = [address(text) for text in mail.bcc]
    if mail.reply_to:
        message["Reply-To"] = address(mail.reply_to)
    message["Subject"] = one_line(mail.subject)
    message["Message-ID"] = make_msgid(domain=sender_address.domain or "localhost")
    message.set_content(mail.text if mail.text is not None else plain_text(mail.html or ""))
    if mail.html is not None:
        message.add_alternative(mail.html, subtype="html")
    return message


def address(text: str) -> Address:
    """Parse an address, with or without a name. Raises MailError."""
    if _CONTROL.search(text):
        raise MailError("an address has control characters in it")
    name, spec = parseaddr(text)
    if "@" not in spec:
        raise MailError("an address is not an e-mail address")
    try:
        return Address(one_line(name), addr_spec=spec)
    except (ValueError, IndexError, HeaderParseError) as error:
        raise MailError("an address is not an e-mail address") from error


def one_line(text: str) -> str:
    """Return a text without line breaks and other control characters."""
    return _CONTROL.sub(" ", text).strip()


def plain_text(html: str) -> str:
    """Return the text of HTML, for clients that do not show HTML."""
    reader = _TextOfHtml()
    reader.feed(html)
    reader.close()
    return _BLANK_LINES.sub("\n\n", "".join(reader.parts)).strip() + "\n"


class _TextOfHtml(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        self.parts.append(data)
