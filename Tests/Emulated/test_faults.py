"""Faults injected through the debugger: the image contains no code for these tests."""

import struct
import unittest

from support import EmulatedTest
from debugger import Debugger, PC, SP
from management import LOG_STATUS, RESTART, Management

REQUESTED, WATCHDOG, PANIC, FAULT, STACK_OVERFLOW, SAFE_MODE_OVER = 2, 3, 4, 5, 6, 7
# udf #254, with which Swift traps, and a branch to itself.
TRAP, HANG = bytes.fromhex("fede"), bytes.fromhex("fee7")


class Faults(EmulatedTest):
    async def settled(self, emulator):
        """Waits until the image has run for a second, so that the fault is injected into its loop, and has it commit the record of its start."""
        async with Management(emulator.link_port) as management:
            await management.ask_until(LOG_STATUS, lambda status: status["now"] >= 1000, "second of its time")
        await self.commit(emulator)

    async def provoke(self, action):
        """Starts an image, executes `action` while it is halted, and returns its restart report, the output of herald-host for it, and the result of `action`."""
        async with self.mps2() as emulator:
            await self.settled(emulator)
            async with Management(emulator.link_port) as management:
                async with Debugger(emulator) as debugger:
                    done = await action(debugger, emulator.names)
                report = await management.ask_until(RESTART, lambda report: "pc" in report, "restart that a fault brought about")
            text = await self.host(emulator, "info")
            stats = await self.stats(emulator)
        self.assertEqual(stats["firmware"]["faults"], 1)
        self.check_log(report)
        return report, text, done

    def check_log(self, report):
        """The log has the same, in the bytes defined by the format."""
        [logged] = self.records("restarted")
        data = bytes.fromhex(logged["payload"])
        number = lambda at: int.from_bytes(data[at:at + 4], "little")
        self.assertEqual((data[0], data[1]), (report["cause"], report["mode"]))
        self.assertEqual((number(12), number(16), number(20)), (report["pc"], report["lr"], report["psr"]))
        self.assertEqual([record["reason"] for record in self.records("started")], [0, report["cause"]])

    async def test_a_trap_is_recorded_logged_and_shown(self):
        async def trap(debugger, names):
            pc = await debugger.register(PC)
            await debugger.write(pc, TRAP)
            return pc

        report, text, pc = await self.provoke(trap)
        self.assertEqual((report["cause"], report["pc"], report["mode"]), (PANIC, pc, 0))
        self.assertIn("panic", text)
        self.assertIn(f"0x{pc:08x}", text.lower())

    async def test_a_fault_of_the_processor(self):
        async def jump(debugger, names):
            await debugger.set_register(PC, 0xE010_0000)

        report, text, _ = await self.provoke(jump)
        # Fault status: instruction access violation.
        self.assertEqual((report["cause"], report["pc"], report["cfsr"] & 1), (FAULT, 0xE010_0000, 1))
        self.assertIn("processor fault", text)

    async def test_a_stack_that_is_full(self):
        async def fill(debugger, names):
            await debugger.set_register(SP, names["stack_bottom"] + 8)

        report, text, _ = await self.provoke(fill)
        self.assertEqual(report["cause"], STACK_OVERFLOW)
        self.assertIn("stack overflow", text)

    async def test_a_hang_is_ended_by_the_watchdog(self):
        async def hang(debugger, names):
            pc = await debugger.register(PC)
            await debugger.write(pc, HANG)
            return pc

        report, text, pc = await self.provoke(hang)
        self.assertEqual((report["cause"], report["pc"]), (WATCHDOG, pc))
        self.assertIn("watchdog", text)

    async def report_when(self, emulator, condition):
        """The restart report, once the condition is true."""
        async with Management(emulator.link_port) as management:
            return await management.ask_until(RESTART, condition, "such start")

    async def test_faults_in_a_row_end_in_safe_mode_and_not_in_a_loop(self):
        await self.world.android(1)
        async with self.mps2() as emulator:
            for streak, mode in ((1, 0), (2, 0), (3, 1), (4, 2)):
                await self.settled(emulator)
                async with Management(emulator.link_port):
                    async with Debugger(emulator) as debugger:
                        await debugger.write(await debugger.register(PC), TRAP)
                report = await self.report_when(emulator, lambda report: report["streak"] == streak)
                self.assertEqual(report["mode"], mode)
                if report["mode"] == 1:
                    # The log can be read, and the controller is not used.
                    await self.rows(emulator)
                    stats = await self.stats(emulator)
                    self.assertEqual((stats["hci"]["events"], stats["hci"]["commands_sent"]), (0, 0))
            self.assertIn("no radio and no log", await self.host(emulator, "info"))
            # A reset restores a working device.
            await emulator.command("system_reset")
            report = await self.report_when(emulator, lambda report: report["mode"] == 0)
            self.assertEqual(report["streak"], 0)
            await self.commit(emulator)
        self.assertEqual([record["reason"] for record in self.records("started")], [0, PANIC, PANIC, PANIC, 1])

    async def test_safe_mode_ends_by_itself(self):
        """A third fault in a row, as its handler leaves it in RAM, starts the image in safe mode; after five minutes, which QEMU skips as the processor sleeps, it
        restarts in normal mode."""
        await self.world.android(1)
        async with self.mps2(options=["-S", "-icount", "shift=4,sleep=off"]) as emulator:
            async with Debugger(emulator) as debugger:
                # The layout is that of RetainedMemory.swift: a panic, in a run of 12 s after two other faults.
                fault = part([0x746C6148, 2, 0x1234, 0, 0, 0, 0])
                run = part([0x736E7552, 12, 2, 2, 0, 0, 0])
                await debugger.write(emulator.names["startup_retained"], fault + run)
            report = await self.report_when(emulator, lambda report: report["mode"] == 0)
            self.assertEqual((report["cause"], report["lasted"]), (SAFE_MODE_OVER, 300))
            # One more early fault would start it again.
            self.assertEqual(report["streak"], 2)
            await self.commit(emulator)
        self.assertEqual([record["reason"] for record in self.records("started")], [PANIC, SAFE_MODE_OVER])
        [fault] = self.records("restarted")
        self.assertEqual(bytes.fromhex(fault["payload"])[:2], bytes([PANIC, 1]))


def part(words):
    """A part of the retained memory, with its checksum."""
    check = 0
    for word in words:
        check = ((check << 1 | check >> 31) ^ word) & 0xFFFFFFFF
    return struct.pack("<8I", *words, check ^ 0xFFFFFFFF)


if __name__ == "__main__":
    unittest.main()
