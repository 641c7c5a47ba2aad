"""herald-flash at the virtual probe of Tests/Flash, over USB/IP and through libusb: written and preserved data, reports of failures, and recovery."""

import json
import sys
import tempfile
from pathlib import Path

from cases_flash import unsigned
from cases_usb import usb_device
from node import ROOT, ended, program, run

sys.path.insert(0, str(ROOT / "Tests" / "Flash"))
from image import ALIVE, WORD, image
from virtual_probe import VirtualProbe

# A board with each chip.
BOARDS = {"nrf51822": "microbit", "nrf52833": "microbit2", "nrf52840": "nrf52840-dongle"}
BASES = {"nrf52840-dongle": 0x1000}
# As many as an interrupted write takes, and none after that.
PACKETS = 48
# The end of the former contents, after the end of every image here, like a log.
OLD = 0x20000
# The end of the firmware region of an nRF52833 DK.
FIRMWARE_END = 0x1E000


def place(probe):
    return f"probe:usbip://127.0.0.1:{probe.port}/1-1"


def old_probe(chip="nrf52833", **options):
    """A probe whose chip has another image, and the contents of its flash."""
    probe = VirtualProbe(chip, **options)
    probe.chip.store(0, image(OLD, seed=1))
    probe.chip.core.reset()
    return probe, probe.chip.flash()


async def flash(*arguments, timeout=30):
    """herald-flash's status, its JSON output, and its standard error."""
    timeout = [] if arguments[0] == "convert" else ["--timeout", str(timeout)]
    status, out, err = await run("herald-flash", *arguments, *unsigned(arguments), *timeout, "--json")
    return status, json.loads(out) if out else None, err


class Image:
    """An image in a file, for a board."""

    def __init__(self, size, board="microbit2", seed=2):
        self.board, self.base = board, BASES.get(board, 0)
        self.data = image(size, seed, self.base)
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "image.bin"
        self.path.write_bytes(self.data)

    async def write(self, probe, *options):
        return await flash("write", self.path, "--base", hex(self.base), "--board", self.board, "--to", place(probe), "--yes", *options)

    def over(self, flash, page):
        """The contents of the flash after this was written: the rest of partly covered pages is erased."""
        end = -(-(self.base + len(self.data)) // page) * page
        return flash[:self.base] + self.data.ljust(end - self.base, b"\xFF") + flash[end:]


def check(probe, expected, *, alive=True):
    """The flash is as expected, no rule was violated, and the program runs after the probe has disconnected."""
    assert probe.chip.violations == [], probe.chip.violations
    assert probe.dap.malformed == [], probe.dap.malformed
    now = probe.chip.flash()
    assert now == expected, next(f"{place:#x}" for place in range(len(now)) if now[place] != expected[place])
    if alive:
        probe.chip.store(ALIVE, bytes(4))
        probe.chip.core.reset()
        probe.chip.slice()
        assert probe.chip.read(ALIVE, 4) == WORD


def is_true(state, before, now, goal, page):
    """Whether the board's state is that reported by herald-flash."""
    pages = range(0, len(now), page)
    changed = [place for place in pages if now[place:place + page] != before[place:place + page]]
    beyond = [place for place in changed if before[place:place + page] == goal[place:place + page]]
    if beyond:
        return False
    if state == "untouched":
        return not changed
    if state in ("unverified", "written"):
        return now == goal
    if state == "erased":
        return all(now[place:place + page] == b"\xFF" * page for place in changed)
    return state in ("partly-written", "unknown")


async def case_flash_probe_writes_each_chip_and_leaves_the_rest():
    for chip, board in BOARDS.items():
        new = Image(0x4321, board)
        probe, before = old_probe(chip)
        with probe:
            status, said, err = await new.write(probe)
            assert status == 0 and said["verified"] and said["started"], (said, err)
            check(probe, new.over(before, probe.chip.facts.page_size))
            # The bytes read back are those that were written, and `verify` reports that the board has the image.
            for options in ([], ["--read-back"]):
                status, said, err = await flash("verify", new.path, "--base", hex(new.base), "--board", board, "--to", place(probe), *options)
                assert status == 0, (said, err)
            # One bit.
            wrong = new.base + 0x1234
            probe.chip.store(wrong, bytes([probe.chip.flash(wrong, 1)[0] ^ 0x10]))
            for options in ([], ["--read-back"]):
                status, said, err = await flash("verify", new.path, "--base", hex(new.base), "--board", board, "--to", place(probe), *options)
                assert status == 14 and f"{wrong:#010x}" in said["what"], (status, said, err)


async def case_flash_probe_writes_over_every_kind_of_probe():
    new = Image(0x3000)
    for options in ({"bulk": False}, {"packet_size": 64, "hid": False}, {"is_atomic": False}, {"wait_every": 5, "wait_times": 3}):
        probe, before = old_probe(**options)
        with probe:
            status, said, err = await new.write(probe)
            assert status == 0, (options, said, err)
            check(probe, new.over(before, 4096))


async def case_flash_probe_through_libusb():
    new = Image(0x3000)
    for options in ({}, {"bulk": False}):
        probe, before = old_probe(**options)
        with probe:
            for words in (["list"], ["write", new.path, "--base", "0", "--board", new.board, "--yes", "--unsigned"]):
                status, out, err = await ended(
                    usb_device(), probe.port, "--", program("herald-flash"), *words, "--timeout", "30", "--json")
                assert status == 0 and "probe:" in out, (options, out, err)
            check(probe, new.over(before, 4096))


async def case_flash_probe_erases_what_it_is_told_to():
    probe, before = old_probe()
    with probe:
        status, said, err = await flash("erase", "--board", "nrf52833dk", "--to", place(probe), "--yes")
        assert status == 0, (said, err)
        check(probe, b"\xFF" * FIRMWARE_END + before[FIRMWARE_END:], alive=False)
        status, said, err = await flash("erase", "--all", "--board", "nrf52833dk", "--to", place(probe), "--yes")
        assert status == 0, (said, err)
        check(probe, b"\xFF" * len(before), alive=False)


async def case_flash_probe_refuses_what_does_not_fit():
    probe, before = old_probe()
    with probe:
        for board in ("microbit", "nrf52840-dongle"):
            status, said, err = await Image(0x2000, board).write(probe)
            assert (status, said["board_state"]) == (12, "untouched"), (said, err)
        # A DK's firmware ends where its log begins.
        status, said, err = await Image(0x40000, "nrf52833dk").write(probe)
        assert (status, said["board_state"]) == (12, "untouched"), (said, err)
        check(probe, before)
        assert probe.chip.nonvolatile.writes == 0 and not probe.chip.nonvolatile.erased
    # An unsupported chip.
    probe, before = old_probe(part=0x52810)
    with probe:
        status, said, err = await Image(0x2000).write(probe)
        assert (status, said["board_state"]) == (12, "untouched"), (status, said, err)
        check(probe, before)


async def case_flash_probe_opens_a_locked_chip_only_when_told_to():
    new = Image(0x3000)
    for is_hardened in (False, True):
        probe, before = old_probe(is_locked=True, is_hardened=is_hardened)
        with probe:
            status, said, err = await new.write(probe)
            assert (status, said["board_state"]) == (13, "untouched") and "--erase-all" in said["advice"], (said, err)
            check(probe, before)
            status, said, err = await new.write(probe, "--erase-all")
            assert status == 0, (said, err)
            check(probe, new.data.ljust(len(before), b"\xFF"))
            # It stays open: the program starts, and the next write needs no permission.
            probe.chip.reset()
            assert not probe.chip.is_locked
            status, said, err = await new.write(probe)
            assert status == 0, (said, err)


async def case_flash_probe_asks_again_where_an_erasure_came_to_nothing():
    new = Image(0x1000)
    for lost in (1, 2):
        probe, before = old_probe(is_locked=True)
        with probe:
            probe.chip.ports[1].lost = lost
            status, said, err = await new.write(probe, "--erase-all")
            assert status == 0, (said, err)
            check(probe, new.data.ljust(len(before), b"\xFF"))
    probe, before = old_probe(is_locked=True)
    with probe:
        probe.chip.ports[1].lost = 15
        for words in (["write", new.path, "--base", "0", "--erase-all"], ["erase", "--all"]):
            status, said, err = await flash(*words, "--board", new.board, "--to", place(probe), "--yes")
            assert (status, said["board_state"]) == (9, "unknown") and "locked still" in err + json.dumps(said), (status, said, err)
        check(probe, before)
        # Three times before a reset and three times after it, each.
        assert probe.chip.ports[1].lost == 3


async def case_flash_probe_of_which_there_are_two_or_none():
    new = Image(0x1000)
    first, before = old_probe()
    second, _ = old_probe()
    with first, second:
        servers = [word for probe in (first, second) for word in ("--usbip", f"127.0.0.1:{probe.port}")]
        status, said, err = await flash("write", new.path, "--base", "0", "--board", new.board, "--via", "probe", "--yes", *servers)
        assert status == 3 and all(str(probe.port) in json.dumps(said) for probe in (first, second)), (status, said, err)
        check(first, before)
        check(second, before)
    status, said, err = await new.write(first)
    assert status in (2, 6) and said["board_state"] == "untouched", (status, said, err)


async def interrupted(name, spread):
    """After each of `spread` interruptions the state is that reported by herald-flash, and another write succeeds."""
    new = Image(0x2800)
    for number in spread:
        probe, before = old_probe(**{name: number})
        goal = new.over(before, 4096)
        with probe:
            status, said, err = await new.write(probe)
            now = probe.chip.flash()
            if status == 0:
                assert now == goal, (name, number)
            else:
                assert said["result"] == "failed" and said["what"] and said["advice"], (name, number, said, err)
                assert is_true(said["board_state"], before, now, goal, 4096), (name, number, said, err)
            assert probe.chip.violations == [], (name, number, probe.chip.violations)
            probe.wire.fault_at = probe.dap.cut_at = ()
            probe.wire.wait_every = 0
            probe.plug_in()
            status, said, err = await new.write(probe)
            assert status == 0, (name, number, said, err)
            check(probe, goal)


async def case_flash_probe_that_vanishes_at_any_packet():
    await interrupted("vanish_after", range(0, PACKETS, 3))


async def case_flash_probe_that_vanishes_at_any_other_packet():
    await interrupted("vanish_after", range(1, PACKETS, 3))


async def case_flash_probe_that_vanishes_at_any_packet_but_those():
    await interrupted("vanish_after", range(2, PACKETS, 3))


async def case_flash_probe_whose_answers_are_cut():
    await interrupted("cut_at", [[number] for number in range(1, PACKETS, 3)])


async def case_flash_probe_whose_target_faults_early():
    await interrupted("fault_at", [[number] for number in range(1, 60, 4)])


async def case_flash_probe_whose_target_faults_late():
    await interrupted("fault_at", [[number] for number in range(100, 3000, 300)])


async def case_flash_probe_whose_target_waits_for_ever():
    for number in (3, 50, 700):
        new = Image(0x2800)
        probe, before = old_probe(wait_every=number, wait_times=10**9)
        with probe:
            status, said, err = await new.write(probe)
            assert status != 0 and is_true(said["board_state"], before, probe.chip.flash(), new.over(before, 4096), 4096), (number, status, said, err)
            probe.wire.wait_every, probe.wire.waits_left = 0, None
            status, said, err = await new.write(probe)
            assert status == 0, (number, said, err)
            check(probe, new.over(before, 4096))
