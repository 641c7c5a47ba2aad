"""A log of many pages for badges that are collected."""

import log_pages
from world import World


async def prepared_log(pages):
    """The bytes of a node's log with this many pages: those of one that has read a phone, and copies under further numbers."""
    async with World() as world:
        phone = await world.android(1)
        node = await world.node()
        await node.has_read(phone)
        await node.stop()
        log_pages.fill(world.folder / "storage", pages)
        return (world.folder / "storage" / "log.flash").read_bytes()
