"""The role controller on models of the chips: a host on USB enumerates it and uses it as its Bluetooth controller, with a phone in range."""

import unittest

import herald
from nrf52.own_radio import OnMedium
from nrf52.usb_host import Host, Stalled
from phones.android import AndroidPhone

SET_CONFIGURATION = bytes.fromhex("0009010000000000")
EVENTS = 1
PSEUDO = bytes([0xA1, 2, 3, 4, 5, 6])


class ControllerOnUSB(OnMedium):
    board, role = "nrf52840-dongle", "controller"
    # The first start sets the output voltage in UICR, which takes effect with a reset by software.
    resets = [0, 4]

    async def command(self, text):
        """Executes a command; returns the next event."""
        data = bytes.fromhex(text)
        await self.host.control(bytes([0x20, 0, 0, 0, 0, 0, len(data), 0]), data)
        return await self.host.read(EVENTS, 257)

    def test_a_host_uses_it_and_receives_the_advertisements_of_a_phone(self):
        async def use(air):
            phone = AndroidPhone(air, "android", "F0:D1:00:00:00:01", herald.test_payload(1001), PSEUDO)
            await phone.arrive()
            self.host = Host(self.chip)
            device, configuration = await self.host.attach()
            self.assertEqual(device.hex(), "12010002e0010140" + "091202000001" + "01020301")
            self.assertEqual(configuration[9:18].hex(), "0904000003e0010100")
            await self.host.control(SET_CONFIGURATION)
            # HCI_Reset; Read BD_ADDR: FICR has no public address; Read Local Supported Commands, in two packets.
            self.assertEqual((await self.command("030c00")).hex(), "0e0401030c00")
            self.assertEqual((await self.command("091000")).hex(), "0e0a01091000" + "000000000000")
            self.assertEqual(len(await self.command("021000")), 70)
            # A command of another length than its header's.
            with self.assertRaises(Stalled):
                await self.host.control(bytes.fromhex("2000000000000400"), bytes.fromhex("030c0000"))
            # LE Set Scan Parameters with the public address: passive, 10 ms in 10 ms. Without a public address: LE Set Random Address first.
            self.assertEqual((await self.command("0b2007" + "00" + "10001000" + "0000")).hex(), "0e04010b2000")
            self.assertEqual((await self.command("0c2002" + "0100")).hex(), "0e04010c2012")
            self.assertEqual((await self.command("052006" + "0706050403c2")).hex(), "0e0401052000")
            self.assertEqual((await self.command("0b2007" + "00" + "10001000" + "0100")).hex(), "0e04010b2000")
            # All LE events.
            self.assertEqual((await self.command("010c08" + "ffffffffffffff3f")).hex(), "0e0401010c00")
            self.assertEqual((await self.command("0c2002" + "0100")).hex(), "0e04010c2000")
            reports = [await self.host.read(EVENTS, 257) for _ in range(20)]
            # A reset of the bus ends scanning.
            await self.host.attach()
            await self.host.control(SET_CONFIGURATION)
            return reports, await self.command("091000")
        reports, last = self.on_air(use, 1)
        for report in reports:
            # LE Advertising Report: one, connectable, of a random address.
            self.assertEqual((report[0], report[2:5], report[1]), (0x3E, bytes([2, 1, 0]), len(report) - 2))
            self.assertIn(PSEUDO, report)
        self.assertEqual(last.hex(), "0e0a01091000" + "000000000000")
        self.assertEqual(self.chip.resets, self.resets)
        self.assertJudged()


class ControllerOnUSBOfNRF52833(ControllerOnUSB):
    board, resets = "nrf52833dk", [0]


if __name__ == "__main__":
    unittest.main()
