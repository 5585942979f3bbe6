"""Banners: shown until they expire."""

from src.content import Banner, documents

from quire import as_system, now, schedule


@schedule("0 3 * * *", tz="Europe/Berlin")
async def expire_banners() -> None:
    """Unpublish banners whose time is over, every night at 3."""
    banners = documents(Banner)
    with as_system("expire banners"):
        async for some in banners.stream(filters={"endsAt": {"$lt": now()}}, batch=200):
            await banners.unpublish_many([banner.documentId for banner in some])
