"""herald-flash closes the debug port of the virtual probe's chip, checks it, and opens it by erasing everything."""

from cases_flash_probe import Image, check, flash, old_probe, place

APPROTECT = 0x10001208


async def case_flash_lock_closes_the_debug_port_and_erasing_all_opens_it():
    for chip, board, is_hardened in (
            ("nrf52833", "microbit2", False), ("nrf52833", "nrf52833dk", True), ("nrf52840", "nrf52840dk", False), ("nrf52840", "xiao-nrf52840", True)):
        probe, _ = old_probe(chip, is_hardened=is_hardened)
        if is_hardened:
            # As herald-flash leaves a chip that it has opened; the image of the test opens the port as ours do.
            probe.chip.store(APPROTECT, (0x5A).to_bytes(4, "little"))
        # XIAO: the application is behind the SoftDevice.
        probe.chip.store(0x27000, bytes.fromhex("000c0020 41700200"))
        probe.chip.reset()
        before = probe.chip.flash()
        words = ("--board", board, "--to", place(probe))
        with probe:
            # Without a terminal and without --yes nothing is done.
            status, said, err = await flash("lock", *words)
            assert (status, said["board_state"]) == (16, "untouched"), (said, err)
            assert not probe.chip.is_locked and probe.chip.nonvolatile.writes == 0
            status, said, err = await flash("lock", *words, "--yes")
            assert (status, said["result"], said["was_locked"]) == (0, "locked", False), (said, err)
            assert probe.chip.is_locked and probe.chip.load(APPROTECT, 1) == b"\0"
            check(probe, before)
            # It stays closed over a reset, says so, and nothing is read or written through it.
            probe.chip.reset()
            assert probe.chip.is_locked
            status, said, err = await flash("list", "--via", "probe", "--usbip", f"127.0.0.1:{probe.port}")
            assert status == 0 and [device["locked"] for device in said["devices"]] == [True], (said, err)
            new = Image(0x1000, board)
            for verb in (["verify", new.path, "--base", "0x27000" if "xiao" in board else "0"], ["erase", "--yes"]):
                status, said, err = await flash(*verb, *words)
                assert (status, said["board_state"]) == (13, "untouched"), (said, err)
            status, said, err = await flash("lock", *words)
            assert (status, said["was_locked"]) == (0, True), (said, err)
            check(probe, before)
            status, said, err = await flash("erase", "--all", *words, "--yes")
            assert status == 0, (said, err)
            probe.chip.reset()
            assert not probe.chip.is_locked
            check(probe, b"\xFF" * len(before), alive=False)


async def case_flash_lock_is_refused_where_it_would_protect_nothing():
    probe, before = old_probe("nrf51822")
    with probe:
        status, said, err = await flash("lock", "--board", "microbit", "--to", place(probe), "--yes")
        assert (status, said["board_state"]) == (15, "untouched") and "nRF51" in said["advice"], (said, err)
        check(probe, before)
    probe, _ = old_probe("nrf52840")
    probe.chip.store(0, b"\xFF" * 0x40000)
    with probe:
        status, said, err = await flash("lock", "--board", "nrf52840dk", "--to", place(probe), "--yes")
        assert (status, said["board_state"]) == (15, "untouched") and "herald-flash write" in said["advice"], (said, err)
        assert probe.chip.nonvolatile.writes == 0


async def case_flash_lock_that_is_interrupted_can_be_repeated():
    for number in range(2, 24, 3):
        probe, before = old_probe("nrf52840", vanish_after=number)
        words = ("--board", "nrf52840dk", "--to", place(probe), "--yes")
        with probe:
            status, said, err = await flash("lock", *words)
            assert status != 0 or probe.chip.is_locked, (number, said, err)
            assert probe.chip.flash() == before and probe.chip.violations == []
            probe.plug_in()
            status, said, err = await flash("lock", *words)
            assert status == 0 and probe.chip.is_locked, (number, said, err)
            check(probe, before)
