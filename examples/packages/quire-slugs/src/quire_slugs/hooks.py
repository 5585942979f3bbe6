"""The hook that fills slugs, for each content type in the settings, and a route."""

import re
import unicodedata
from itertools import count

from msgspec import Struct, field

from quire import Document, Write, as_system, before_write, documents, route, settings

_MOST = 1000


class SlugSettings(Struct):
    """``[extensions.config.slugs]``: the attribute that slugs are made of, by content type."""

    types: dict[str, str] = field(default_factory=dict)
    site: str = ""


slugs = settings("slugs", SlugSettings)


def slugify(text: str) -> str:
    """Return small letters, digits and dashes; letters lose their accents."""
    plain = unicodedata.normalize("NFKD", text.replace("&", " and ")).encode("ascii", "ignore")
    return re.sub(r"[^a-z0-9]+", "-", plain.decode().lower()).strip("-")


async def set_slug(write: Write[Document]) -> None:
    """Set the slug of a document that has none."""
    text = write.value(slugs.types[write.uid])
    if write.value("slug") or not isinstance(text, str):
        return
    base = slugify(text) or "untitled"
    with as_system("look for equal slugs"):
        found = await documents(write.uid).find(
            filters={"slug": {"$startsWith": base}, "documentId": {"$ne": write.document_id}},
            fields=["slug"],
            status="draft",
            locale=write.locale,
            page_size=_MOST,
        )
    taken = {one.slug for one in found}
    candidates = (base if number == 1 else f"{base}-{number}" for number in count(1))
    write.set(slug=next(one for one in candidates if one not in taken))


for _uid, _source in slugs.types.items():
    before_write(_uid, on=["create", "update"], needs=["slug", _source])(set_slug)


@route.get("/sitemap", public=True)
async def sitemap() -> dict[str, list[str]]:
    """The addresses of all published documents that have a slug."""
    urls: list[str] = []
    with as_system("list addresses that are public"):
        for uid in slugs.types:
            async for some in documents(uid).stream(fields=["slug"]):
                urls += [f"{slugs.site}/{one.slug}" for one in some if one.slug]
    return {"urls": urls}
