"""Operations of a host over the management line other than pulling the log: payload, live events, access key."""

import asyncio
import contextlib
import json
import os
import unittest

from support import ANSWER, PAGE, PATIENCE, EmulatedTest
from emulator import LOG_BYTES
import herald
from node import program
from world import until

BUILT_IN = herald.fixed_payload(826, 0, 1234567890)
PUSHED = herald.fixed_payload(840, 7, 4711)


class Link(EmulatedTest):
    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    async def shown(self, emulator):
        return json.loads(await self.host(emulator, "payload", "show", "--json"))

    async def test_a_payload_that_is_pushed_is_offered_and_stays_until_it_is_taken_back(self):
        android = await self.world.android(1)
        fixed = self.file("fixed.yml", "family: fixed\ncountry: 840\nstate: 7\nidentifier: 4711\n")
        async with self.mps2() as emulator:
            self.assertEqual((await self.shown(emulator))["bytes"], BUILT_IN.hex())
            await until(lambda: android.address_of(BUILT_IN), "the payload of the image read by the phone", PATIENCE)
            await self.host(emulator, "payload", "push", str(fixed))
            self.assertEqual((await self.shown(emulator))["bytes"], PUSHED.hex())
            await until(lambda: android.address_of(PUSHED), "the pushed payload read by the phone", PATIENCE)
        # Loss of power and restart.
        async with self.mps2() as emulator:
            self.assertEqual((await self.shown(emulator))["bytes"], PUSHED.hex())
            # Longer than the image permits: rejected, and the former one is kept.
            long = self.file("long.yml", f"family: bytes\nbytes: '{bytes(range(1, 134)).hex()}'\n")
            status, _, err = await self.said(emulator, "payload", "push", str(long))
            self.assertEqual(status, 9, err)
            self.assertEqual((await self.shown(emulator))["bytes"], PUSHED.hex())
            await self.host(emulator, "payload", "push", str(self.file("none.yml", "family: none\n")))
            self.assertEqual((await self.shown(emulator))["bytes"], BUILT_IN.hex())

    async def test_what_happens_is_watched(self):
        # Few events, as the device stores fourteen between two requests.
        first = await self.world.android(1, advertising_interval=1000)
        async with self.mps2() as emulator:
            await self.open(emulator)
            process = await asyncio.create_subprocess_exec(
                program("herald-host"), "log", "tail", "--device", emulator.link, "--json", "--timeout", str(ANSWER),
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
            events = []

            async def seen(phone, *wanted):
                """Waits until all of that has happened to a phone."""
                while not {*wanted} <= {event["event"] for event in events if event.get("peer") == phone.identity}:
                    line = await process.stdout.readline()
                    self.assertTrue(line, "log tail ended")
                    events.append(json.loads(line))

            try:
                async with asyncio.timeout(PATIENCE):
                    # Only events during the polling are reported, so the phone that is needed arrives after its start.
                    await seen(first, "measured")
                    phone = await self.world.android(2, advertising_interval=1000)
                    await seen(phone, "detected", "read", "measured")
            except TimeoutError:
                self.fail(f"not all of it within {PATIENCE} s; told last: {events[-5:]}")
            finally:
                with contextlib.suppress(ProcessLookupError):
                    process.terminate()
                _, err = await process.communicate()
                if err:
                    print(f"\n  herald-host: {err.decode().strip()}")
        [read] = [event for event in events if event["event"] == "read" and event["peer"] == phone.identity][:1]
        self.assertEqual(read["count"], len(phone.payload))

    async def test_it_stays_locked_when_its_settings_are_damaged(self):
        key, wrong = self.folder / "owner.key", self.folder / "wrong.key"
        for path, content in ((key, bytes(range(100, 132))), (wrong, bytes(range(32)))):
            path.write_bytes(content)
            os.chmod(path, 0o600)
        async with self.mps2() as emulator:
            await self.host(emulator, "config", "set", "access/key", str(key), "--new-device")
        with open(self.flash, "r+b") as file:
            file.seek(LOG_BYTES)
            kept = file.read(2 * PAGE)
            place = kept.index(key.read_bytes())
            # Of the record: four bytes before the key, in the address key.
            file.seek(LOG_BYTES + place - 4)
            file.write(bytes([kept[place - 4] ^ 1]))
        for _ in range(2):
            async with self.mps2() as emulator:
                get = ("config", "get", "log/keep-days")
                status, _, err = await self.said(emulator, *get)
                self.assertEqual(status, 9, err)
                self.assertIn("it is locked", err)
                status, _, err = await self.said(emulator, *get, "--key-file", wrong)
                self.assertEqual(status, 9, err)
                self.assertIn("not its access key", err)
                # Last: a serial line does not report that the host has changed.
                status, out, err = await self.said(emulator, *get, "--key-file", key)
                self.assertEqual((status, out.strip()), (0, "14"), err)


if __name__ == "__main__":
    unittest.main()
