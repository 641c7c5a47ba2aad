"""The HCI capture of a node, read by Wireshark's and BlueZ's programs."""

import asyncio
import shutil

from node import PATIENCE, ended, program, run
from world import World, until


async def told(*words):
    """The output of a program for a capture."""
    status, out, err = await ended(*words)
    assert status == 0, f"{words[0]} ended with {status}: {err}"
    assert "malformed" not in err.lower() and "cut short" not in err, err
    return out


async def fields(path, *names, only=None):
    words = ["tshark", "-n", "-r", path, "-T", "fields"]
    for name in names:
        words += ["-e", name]
    if only:
        words += ["-Y", only]
    return [line.split("\t") for line in (await told(*words)).splitlines()]


def before_data(capture):
    """The header of a capture, and its records up to the first ACL packet."""
    yield capture[:16]
    place = 16
    while place < len(capture) and capture[place + 24] != 0x02:
        end = place + 24 + int.from_bytes(capture[place + 4:place + 8])
        yield capture[place:end]
        place = end


async def case_capture_is_read_by_others():
    if shutil.which("tshark") is None:
        print("    left out: there is no tshark; `apt-get install tshark` brings it")
        return
    async with World() as world:
        phone = await world.android(1)
        path = world.folder / "node.btsnoop"
        node = await world.node("--capture", path)
        await node.has_read(phone)
        await node.stop()
        assert path.stat().st_mode & 0o777 == 0o600
        packets = await fields(path, "bthci_cmd.opcode", only="bthci_cmd")
        # HCI Reset is the first command to a controller (Core Specification, Vol 4, Part E, 7.3.2).
        assert packets[0] == ["0x0c03"], packets[:3]
        # Bumble rejects LE Set Data Length with a response that is two bytes short, and Wireshark reports it.
        assert await fields(path, "frame.number", only="_ws.malformed && !(bthci_evt.opcode == 0x2022)") == []
        directions = await fields(path, "hci_h4.direction", "hci_h4.type")
        assert {tuple(row) for row in directions} >= {("0x00", "0x01"), ("0x01", "0x04"), ("0x00", "0x02"), ("0x01", "0x02")}
        assert ["0x00", "0x04"] not in directions and ["0x01", "0x01"] not in directions
        # The payload reported by the node is in attribute values of the capture.
        values = "".join(row[0] for row in await fields(path, "btatt.value", only="btatt.opcode == 0x0b || btatt.opcode == 0x0d"))
        assert bytes(phone.payload).hex() in values.replace(":", ""), values
        if shutil.which("btmon"):
            # BlueZ 5.66's decoder of ATT crashes, in every form of the same packets: it is run on the packets before the first connection's data.
            start = world.folder / "start.btsnoop"
            start.write_bytes(b"".join(before_data(path.read_bytes())))
            text = await told("btmon", "-r", start)
            assert "HCI Command: Reset (0x03|0x0003)" in text and "HCI Event: Command Complete" in text, text[:500]
            assert "LE Advertising Report" in text, text[-500:]


async def case_capture_follows_a_running_node():
    async with World() as world:
        socket = world.folder / "capture"
        node = await world.node("--capture", f"unix:{socket}")
        assert socket.stat().st_mode & 0o777 == 0o600
        path = world.folder / "live.btsnoop"
        process = await asyncio.create_subprocess_exec(
            program("herald-host"), "capture", "--node", f"unix:{socket}", str(path), stdout=asyncio.subprocess.PIPE)
        await until(path.exists, "file of the capture")
        phone = await world.android(1)
        await node.has_read(phone)
        await node.stop()
        out, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
        assert process.returncode == 0 and b"packets" in out, out
        data = path.read_bytes()
        assert data[:16] == b"btsnoop\0\0\0\0\1\0\0\x03\xea" and path.stat().st_mode & 0o777 == 0o600
        count, place = 0, 16
        while place < len(data):
            place += 24 + int.from_bytes(data[place + 4:place + 8])
            count += 1
        assert place == len(data) and count == int(out.split()[1]), (count, out)
        # An existing file is kept, and a missing node is reported.
        status, _, err = await run("herald-host", "capture", "--node", f"unix:{socket}", path)
        assert status in (6, 11) and path.read_bytes() == data, (status, err)
