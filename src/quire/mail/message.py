"""A mail, and its MIME form.

Header values are sanitized here: line breaks and other control characters in names and subjects
become spaces, and an address with one of them is invalid.
"""

import re
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr
from html import unescape

from msgspec import Struct

from quire.errors import MailError

_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_BLOCKS = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6"})
# Nothing in a tag matches the start of the next one, and its parts are possessive, so that each
# character is read once; the parser of the standard library reads on to the end for each tag
# without one.
_TAG = re.compile(
    r"""<(?:([A-Za-z][^\s<>"'/]*+)|[/!?])(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*>""",
)
"""A tag or declaration; the group is the name of a start tag."""
_HUGE_REFERENCE = re.compile(r"&#[0-9]{10,};?")
"""A character reference beyond all characters, which may be too long to be read as a number."""
_MAX_LENGTH = 1000
"""The longest subject or address: to fold a header takes time."""


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

    Raises MailError for an invalid address and a long subject.
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
    if len(mail.subject) > _MAX_LENGTH:
        raise MailError(f"the subject has more than {_MAX_LENGTH} characters")
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
    if len(text) > _MAX_LENGTH:
        raise MailError(f"an address has more than {_MAX_LENGTH} characters")
    try:
        name, spec = parseaddr(text)
        if "@" in spec:
            return Address(one_line(name), addr_spec=spec)
    except (ValueError, IndexError, HeaderParseError, RecursionError) as error:
        raise MailError("an address is not an e-mail address") from error
    raise MailError("an address is not an e-mail address")


def one_line(text: str) -> str:
    """Return a text without line breaks and other control characters."""
    return _CONTROL.sub(" ", text).strip()


def plain_text(html: str) -> str:
    """Return the text of HTML, for clients that do not show HTML."""
    first, *others = html.split("<!--")
    without_comments = first + "".join(part.partition("-->")[2] for part in others)
    text = _TAG.sub(lambda tag: "\n" if (tag[1] or "").lower() in _BLOCKS else "", without_comments)
    text = unescape(_HUGE_REFERENCE.sub("\ufffd", text))
    return _BLANK_LINES.sub("\n\n", text).strip() + "\n"
