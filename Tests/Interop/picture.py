#!/usr/bin/env python3
"""picture.py PAGE PICTURE [ELEMENT]: draws the top of a page of HTML as PNG, or of an element of it."""

import asyncio
import sys
from pathlib import Path

import browser


async def main(page, picture, element=None):
    if browser.find() is None:
        sys.exit("picture.py: there is no Chromium; `apt-get install chromium` brings it")
    async with browser.Browser(width=1024, height=860) as shown:
        await shown.open(Path(page).resolve())
        if element:
            await shown.evaluate(f"document.querySelector({element!r}).scrollIntoView()")
        Path(picture).write_bytes(await shown.picture())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
