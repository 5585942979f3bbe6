"""HTML pages at the addresses of the admin UI: what the server offers, and three small forms.

The forms register administrators and set forgotten passwords: the server prints or mails links to
them. Each is one document whose policy allows its own style and script alone, and lets it talk to
this server alone. They know no secrets: the token of a link stays in the address, from where the
script sends it to the admin API.
"""

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from typing import Final

from starlette.responses import Response

PATH: Final = "/admin"

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 4rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; }
label { display: block; margin: 1rem 0; font-weight: 600; }
input { display: block; box-sizing: border-box; width: 100%; margin-top: .25rem;
  padding: .5rem; font: inherit; }
button { padding: .5rem 1rem; font: inherit; font-weight: 600; }
fieldset { border: 0; padding: 0; margin: 0; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
.hint { font-weight: 400; font-size: .875rem; }
[role=alert] { color: #b3261e; }
@media (prefers-color-scheme: dark) { [role=alert] { color: #f2b8b5; } }
"""
_SCRIPT = """
const form = document.querySelector("form");
const message = document.querySelector("[role=alert]");
const parameters = new URLSearchParams(location.search);
const bodies = {
  "register-admin": (fields) => ({
    ...fields, registrationToken: parameters.get("registrationToken") ?? undefined }),
  "register": (fields) => ({
    registrationToken: parameters.get("registrationToken") ?? "", userInfo: fields }),
  "reset-password": (fields) => ({
    resetPasswordToken: parameters.get("code") ?? "", ...fields }),
};
const route = form.dataset.route;
form.querySelector("fieldset").disabled = false;
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  message.textContent = "";
  const fields = [...new FormData(form)].filter(([, value]) => value !== "");
  try {
    const response = await fetch("/admin/" + route, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(bodies[route](Object.fromEntries(fields))),
    });
    if (response.ok) {
      form.hidden = true;
      document.querySelector("#done").hidden = false;
      history.replaceState(null, "", location.pathname);
      return;
    }
    const { error } = await response.json();
    const details = error.details?.errors?.map((one) => one.message) ?? [];
    message.textContent = (details.length ? details : [error.message]).join("; ");
  } catch {
    message.textContent = "The server did not respond. Try again.";
  }
});
"""
_DOCUMENT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{content}
</body>
</html>
"""
_FORM = """<form data-route="{route}"><fieldset disabled>
{inputs}
<p role="alert"></p>
<button>{button}</button>
</fieldset></form>
<noscript>This form needs JavaScript.</noscript>
<div id="done" hidden><p>{done}</p><p><a href="/admin">What this server offers</a></p></div>
<script>{script}</script>"""
_EMAIL_INPUT = """<label>E-mail
<input name="email" type="email" autocomplete="username" required></label>"""
_NAME_INPUTS = """<label>First name
<input name="firstname" autocomplete="given-name" required></label>
<label>Last name <input name="lastname" autocomplete="family-name"></label>"""
_CREDENTIAL_INPUT = """<label>Password
<span class="hint">at least 8 characters, among them a lowercase letter, an uppercase letter and a
digit</span>
<input name="password" type="password" autocomplete="new-password" minlength="8" required>
</label>"""
_CODE_INPUT = """<label>Code of your second factor
<span class="hint">if you use one</span>
<input name="code" autocomplete="one-time-code"></label>"""
_OFFER = """<p>This is the server of a project. Its admin UI is not part of this version.</p>
<dl>
<dt>Content API</dt>
<dd><code>{prefix}</code>, one path for each content type: <code>{prefix}/articles</code>, if there
are articles. Nothing can be read before a role or a token grants it.</dd>
<dt>Description of the content API</dt>
<dd><a href="{document}">{document}</a> (OpenAPI), for what you may do.{reference}</dd>
{admin}
</dl>"""
_ADMIN = """<dt>Admin API</dt>
<dd><code>/admin</code>. While there is no administrator, the server prints a link at its start:
whoever opens it becomes the first one. Administrators sign in with
<code>POST /admin/login</code>; <code>/admin/x/openapi.json</code> describes all routes to
them.</dd>"""


class AdminPages:
    """Responds to GET requests for ``/admin`` and the pages that links of the admin API lead to."""

    def __init__(
        self, *, api_prefix: str, document: str, reference: str | None, admin: bool
    ) -> None:
        """Build the pages.

        ``document`` is the path of the OpenAPI document, ``reference`` that of the page to try the
        API, where that is served. Without ``admin`` the project has no admin API, so no forms.
        """
        link = f' To try it: <a href="{reference}">{reference}</a>.' if reference else ""
        self._pages: dict[str, str] = {
            PATH: _page(
                "Content server",
                _OFFER.format(
                    prefix=escape(api_prefix),
                    document=escape(document),
                    reference=link,
                    admin=_ADMIN if admin else "",
                ),
            )
        }
        if admin:
            self._pages |= _forms()

    def respond(self, path: str, _accepted: bytes) -> Response | None:
        """Return the page at a path, ``None`` where there is none."""
        page = self._pages.get(path.removesuffix("/"))
        if page is None:
            return None
        return Response(page, media_type="text/html", headers=_HEADERS)


def _forms() -> Mapping[str, str]:
    welcome = "You are an administrator now. Sign in with your e-mail and password."
    return {
        f"{PATH}/auth/register-admin": _form(
            "Create the first administrator",
            route="register-admin",
            inputs=(_EMAIL_INPUT, _NAME_INPUTS, _CREDENTIAL_INPUT),
            button="Create administrator",
            done=welcome,
        ),
        f"{PATH}/auth/register": _form(
            "Accept your invitation",
            route="register",
            inputs=(_NAME_INPUTS, _CREDENTIAL_INPUT),
            button="Create account",
            done=welcome,
        ),
        f"{PATH}/auth/reset-password": _form(
            "Set a new password",
            route="reset-password",
            inputs=(_CREDENTIAL_INPUT, _CODE_INPUT),
            button="Set password",
            done="Your password is changed.",
        ),
    }


def _form(title: str, *, route: str, inputs: tuple[str, ...], button: str, done: str) -> str:
    content = _FORM.format(
        route=route, inputs="\n".join(inputs), button=button, done=done, script=_SCRIPT
    )
    return _page(title, content)


def _page(title: str, content: str) -> str:
    return _DOCUMENT.format(title=title, style=_STYLE, content=content)


def _source(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


_HEADERS: Final = {
    "content-security-policy": (
        f"default-src 'none'; script-src {_source(_SCRIPT)}; style-src {_source(_STYLE)}; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
    # The address of a form has a token in it.
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
