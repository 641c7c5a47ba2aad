"""Headless Chromium over a pipe (the DevTools protocol): the rendering of a page, its contents, its network requests and its errors."""

import asyncio
import base64
import contextlib
import fcntl
import json
import os
import shutil
import struct
import tempfile
import zlib

from node import PATIENCE

NAMES = ["chromium", "chromium-browser", "google-chrome"]


def find():
    """The path of a Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """An asynchronous context manager. `requests` are the addresses requested by pages, `complaints` their console output."""

    def __init__(self, width=1200, height=900):
        self.size = f"{width},{height}"
        self.requests = []
        self.complaints = []
        self.waiting = {}
        self.loaded = asyncio.Event()
        self.number = 0

    async def __aenter__(self):
        self.folder = tempfile.mkdtemp(prefix="herald-browser-")
        to_read, self.to_write = os.pipe()
        from_read, from_write = os.pipe()
        words = [find(), "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-sandbox", "--disable-gpu",
                 "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                 "--hide-scrollbars", "--disable-dev-shm-usage", f"--window-size={self.size}", "about:blank"]
        # It reads from the descriptor 3 and writes to 4, which these two must not be.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_read, from_write)]
        self.process = await asyncio.create_subprocess_exec(
            "bash", "-c", f'exec "$@" 3<&{ends[0]} 4>&{ends[1]}', "bash", *words, pass_fds=ends,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        for end in (to_read, from_write, *ends):
            os.close(end)
        self.reader = asyncio.StreamReader(limit=1 << 26)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self.reader), os.fdopen(from_read, "rb"))
        self.transport = transport
        self.listener = asyncio.create_task(self.listen())
        return self

    async def __aexit__(self, kind, error, trace):
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        self.listener.cancel()
        self.transport.close()
        os.close(self.to_write)
        shutil.rmtree(self.folder, ignore_errors=True)

    async def listen(self):
        while True:
            message = json.loads((await self.reader.readuntil(b"\0"))[:-1])
            if "id" in message:
                self.waiting.pop(message["id"]).set_result(message)
                continue
            what, about = message["method"], message.get("params", {})
            if what == "Network.requestWillBeSent":
                self.requests.append(about["request"]["url"])
            elif what == "Runtime.consoleAPICalled":
                self.complaints.append(str(about["args"]))
            elif what == "Runtime.exceptionThrown":
                self.complaints.append(str(about["exceptionDetails"]))
            elif what == "Log.entryAdded":
                self.complaints.append(about["entry"]["text"])
            elif what == "Page.loadEventFired":
                self.loaded.set()

    async def ask(self, method, session=None, **parameters):
        self.number += 1
        answer = self.waiting[self.number] = asyncio.get_running_loop().create_future()
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        said = await asyncio.wait_for(answer, PATIENCE)
        assert "error" not in said, f"{method}: {said.get('error')}"
        return said["result"]

    async def open(self, path, width=None, dark=False, scripts=True):
        """Shows a file, with the network switched off: `width` pixels wide, with a colour scheme, with or without its scripts."""
        target = (await self.ask("Target.createTarget", url="about:blank"))["targetId"]
        self.session = (await self.ask("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            await self.ask(f"{domain}.enable", self.session)
        await self.ask("Network.emulateNetworkConditions", self.session, offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        if width:
            await self.ask("Emulation.setDeviceMetricsOverride", self.session, width=width, height=900, deviceScaleFactor=1, mobile=False)
        await self.ask("Emulation.setEmulatedMedia", self.session,
                       features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if not scripts:
            await self.ask("Emulation.setScriptExecutionDisabled", self.session, value=True)
        self.loaded.clear()
        await self.ask("Page.navigate", self.session, url=f"file://{path}")
        await asyncio.wait_for(self.loaded.wait(), PATIENCE)

    async def evaluate(self, expression):
        """The value of an expression or of its promise, as JSON has it."""
        said = await self.ask("Runtime.evaluate", self.session, expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in said, said
        return said["result"].get("value")

    async def press(self, key, code):
        """Presses a key and releases it."""
        for kind in ("keyDown", "keyUp"):
            await self.ask("Input.dispatchKeyEvent", self.session, type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    async def texts(self, selector):
        """The texts of elements, which works without scripts as well."""
        root = (await self.ask("DOM.getDocument", self.session))["root"]["nodeId"]
        found = (await self.ask("DOM.querySelectorAll", self.session, nodeId=root, selector=selector))["nodeIds"]
        return [(await self.ask("DOM.getOuterHTML", self.session, nodeId=node))["outerHTML"] for node in found]

    async def printed(self):
        """The page as a PDF of A4 pages, as it asks for."""
        said = await self.ask("Page.printToPDF", self.session, preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(said["data"])

    async def picture(self, whole=False):
        """A screenshot as PNG: the window, or the whole page."""
        said = await self.ask("Page.captureScreenshot", self.session, format="png", captureBeyondViewport=whole)
        return base64.b64decode(said["data"])


def pixels(png):
    """(width, height, rows of (red, green, blue)) of a PNG with 8 bits a channel, as Chromium makes them."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, data = 8, b""
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place:place + 8])
        chunk = png[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
        elif kind == b"IDAT":
            data += chunk
        place += 12 + length
    assert depth == 8 and colour in (2, 6)
    step = 3 if colour == 2 else 4
    data, rows, before, place = zlib.decompress(data), [], bytes(width * step), 0
    for _ in range(height):
        way, line = data[place], bytearray(data[place + 1:place + 1 + width * step])
        place += 1 + width * step
        for index in range(len(line)):
            left = line[index - step] if index >= step else 0
            above, corner = before[index], before[index - step] if index >= step else 0
            if way == 1:
                line[index] = line[index] + left & 255
            elif way == 2:
                line[index] = line[index] + above & 255
            elif way == 3:
                line[index] = line[index] + (left + above) // 2 & 255
            elif way == 4:
                guess = left + above - corner
                line[index] = line[index] + min((left, above, corner), key=lambda value: abs(guess - value)) & 255
        before = bytes(line)
        rows.append([tuple(line[index:index + 3]) for index in range(0, len(line), step)])
    return width, height, rows
