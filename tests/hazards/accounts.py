"""Shared helpers for hazards of accounts: a newsroom with sign-in."""

import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import jwt

from quire.settings import Settings
from tests.accounts.site import NOW, Site, open_site, receiving
from tests.databases.kinds import rows_of
from tests.hazards.newsroom import ENVIRONMENT

SECRET = ENVIRONMENT["JWT_SECRET"]
SECONDS = NOW // 1000


@asynccontextmanager
async def newsroom_site(settings: Settings, **overrides: object) -> AsyncIterator[Site]:
    """Serve a newsroom with an SMTP server next to it."""
    async with receiving() as inbox, open_site(settings.project, inbox, **overrides) as site:
        yield site


def contents(site: Site) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, but when tokens were used."""
    with rows_of(site.project) as rows:
        return {
            table: rows.execute(f'SELECT * FROM "{table}" ORDER BY 1')
            for table in rows.tables()
            if table != "strapi_api_tokens"
        }


def forged(claims: dict[str, object], secret: str = SECRET, algorithm: str = "HS256") -> str:
    """A forged JWT, with a key of any length."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return jwt.encode(claims, secret, algorithm=algorithm)
