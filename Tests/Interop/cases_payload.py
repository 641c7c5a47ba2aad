"""Families of payloads: the node's payload is read completely, and the host names the families of read payloads."""

import datetime
import hashlib
import json
import time

from node import contacts, run
from world import World, until

# Country 826, state 4, venue 123123, premises name.
VENUE = bytes.fromhex("303A030400F3E00100") + b"\x10\x11Erin's Stakehouse"
# A secured payload according to the draft: opaque to all programs here.
SECURED = bytes.fromhex("203A030400") + bytes(range(65))


async def offers(payload, expected):
    async with World() as world:
        await world.node(payload=payload)
        phones = [await world.android(1), await world.ios(1)]
        for phone in phones:
            await until(lambda: expected in phone.met.values(), f"{payload[:20]} at {phone.name}")


async def case_payload_of_a_venue_reaches_phones():
    await offers("venue:826,4,123123,Erin's Stakehouse", VENUE)


async def case_payload_of_a_test_reaches_phones():
    await offers("test:-2", b"\0\0\0" + b"\xFE\xFF\xFF\xFF" + bytes(122))


async def case_payload_of_510_bytes_reaches_phones():
    longest = bytes(index * 7 % 256 for index in range(1, 511))
    await offers(f"hex:{longest.hex()}", longest)


async def case_payload_families_are_named_by_the_host():
    async with World() as world:
        venue = await world.android(1, payload=VENUE)
        other = await world.ios(1, payload=SECURED)
        node = await world.node("--link", "tcp:0")
        await node.has_read(venue, other)
        output = world.folder / "out"
        status, out, err = await run(
            "herald-host", "log", "pull", "--device", node.link, "--output", output, "--json")
        assert status == 0, err
        kinds = {contact["payload_hex"]: contact["kind"] for contact in json.loads(out)["contacts"]}
        assert kinds == {
            VENUE.hex(): {"family": "venue", "version": 0, "country": 826, "state": 4, "venue_code": 123123,
                          "premises": "Erin's Stakehouse"},
            SECURED.hex(): {"family": "secured", "version": 0, "country": 826, "state": 4},
        }, kinds
        status, out, err = await run("herald-host", "log", "convert", output)
        assert status == 0 and "venue 826/4/123123 Erin's Stakehouse" in out, out
        reads = {row["data"] for row in contacts(output) if row["read"]}
        # Only the short form, as on phones.
        assert all(len(read) == 6 for read in reads) and len(reads) == 2, reads


def digest(value):
    return hashlib.sha256(value).digest()


def key_of(seed):
    return digest(bytes(a ^ b for a, b in zip(seed, digest(seed[:16]))))


def matching_key(secret, day):
    """The matching key of a day of the key schedule, from the secret itself."""
    seed = digest(secret)
    for _ in range(2000 - day):
        seed = digest(seed[:16])
    return key_of(seed)


def contact_identifier(secret, day, period):
    """The identifier of six minutes of a day of the key schedule, from the secret itself."""
    seed = digest(matching_key(secret, day))
    for _ in range(240 - period):
        seed = digest(seed[:16])
    return key_of(seed)[:16]


async def case_payload_of_derived_keys_reaches_a_phone():
    """HP-41 Keys that the host derived from a secret make the identifier that the secret itself leads to."""
    async with World() as world:
        secret, keys = world.folder / "secret", world.folder / "keys"
        today = datetime.datetime.now(datetime.timezone.utc).date()
        status, _, err = await run(
            "herald-host", "payload", "simple", "--secret", secret, "--generate", "--country", 826, "--state", 4,
            "--from", today, "--days", 2, "--epoch", today - datetime.timedelta(days=10), "--output", keys)
        assert status == 0, err
        assert (secret.stat().st_mode & 0o777, keys.stat().st_mode & 0o777) == (0o600, 0o600)
        assert secret.read_bytes().hex()[:64] not in keys.read_text()
        await world.node(payload=f"simple:{keys}")
        phone = await world.android(1)

        def expected():
            # The current period of six minutes, or the one that ended during the read.
            for moment in (time.time(), time.time() - 30):
                day = 10 + int(moment) // 86400 - (today - datetime.date(1970, 1, 1)).days
                period = int(moment) % 86400 // 360
                yield bytes.fromhex("103A030400") + contact_identifier(secret.read_bytes(), day, period)

        await until(lambda: any(payload in phone.met.values() for payload in expected()), "the identifier")
