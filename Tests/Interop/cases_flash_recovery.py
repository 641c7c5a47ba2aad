"""herald-flash at MCUboot's serial recovery, which is in Tests/Flash: images signed by imgtool are complete after a disconnection at any time."""

import tempfile
from pathlib import Path

from cases_boards import PROGRAMS, said
from cases_flash_probe import flash, image
from recovery import Recovery

CURVES = ["ed25519", "ecdsa-p256"]


async def signed(folder, size, curve):
    """An image that imgtool signed, and imgtool's key."""
    (folder / "plain.bin").write_bytes(image(size))
    await said(PROGRAMS / "imgtool", "keygen", "-k", folder / "key.pem", "-t", curve)
    await said(PROGRAMS / "imgtool", "sign", "-k", folder / "key.pem", "--header-size", "0x200", "--pad-header", "--slot-size", "0x60000", "--align", "4",
               "--version", "1.2.3+4", folder / "plain.bin", folder / "signed.bin")
    return folder / "signed.bin", folder / "key.pem"


async def case_flash_recovery_starts_what_imgtool_signed():
    for curve in CURVES:
        with tempfile.TemporaryDirectory() as folder, Recovery(tells_hash=curve == CURVES[0]) as recovery:
            path, key = await signed(Path(folder), 10000, curve)
            status, found, err = await flash("write", path, "--to", f"smp:serial:{recovery.path}", "--yes")
            assert status == 0 and found["started"] and found["verified"] == recovery.tells_hash, (found, err)
            whole = path.read_bytes()
            assert recovery.is_running and recovery.slot.data[:len(whole)] == whole
            assert recovery.slot.data[len(whole):].strip(b"\xFF") == b""
            held = Path(folder) / "held.bin"
            held.write_bytes(recovery.slot.data)
            assert "1.2.3+4" in await said(PROGRAMS / "imgtool", "verify", "-k", key, held)


async def case_flash_recovery_that_has_no_room_refuses():
    with tempfile.TemporaryDirectory() as folder, Recovery(slot_size=0x2000) as recovery:
        path, _ = await signed(Path(folder), 10000, CURVES[0])
        status, found, err = await flash("write", path, "--to", f"smp:serial:{recovery.path}", "--yes")
        assert status in (9, 12) and not recovery.is_running, (status, found, err)
        assert recovery.slot.data.strip(b"\xFF") == b""


async def case_flash_recovery_cut_off_at_any_packet_is_put_right():
    with tempfile.TemporaryDirectory() as folder:
        path, _ = await signed(Path(folder), 3000, CURVES[0])
        whole = path.read_bytes()
        with Recovery() as recovery:
            status, found, err = await flash("write", path, "--to", f"smp:serial:{recovery.path}", "--yes")
            assert status == 0, (found, err)
            packets = recovery.packets
        assert packets > 10, packets
        for count in range(packets):
            with Recovery(vanish_after=count) as recovery:
                place = f"smp:serial:{recovery.path}"
                status, found, err = await flash("write", path, "--to", place, "--yes", timeout=0.5)
                held = bytes(recovery.slot.data)
                assert status != 0 and not recovery.is_running, (count, found, err)
                is_empty = held.strip(b"\xFF") == b""
                states = ("untouched", "erased", "unknown") if is_empty else ("unverified", "written") if held.startswith(whole) else ("partly-written",)
                assert found["board_state"] in (*states, "partly-written") if held.startswith(whole) else states, (count, found)
                assert found["advice"], (count, found)
                recovery.plug_in()
                status, found, err = await flash("write", path, "--to", place, "--yes")
                assert status == 0 and recovery.is_running, (count, found, err)
                assert recovery.slot.data[:len(whole)] == whole
