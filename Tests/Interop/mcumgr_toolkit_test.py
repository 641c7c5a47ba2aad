"""mcumgr_toolkit_test.py PORT IMAGE: mcumgr-toolkit uploads an image to a node and activates it, reads a part of a setting, and sets the date with an offset."""

import sys
from pathlib import Path

from mcumgr_toolkit import MCUmgrClient

from smp_program import expect, finish

port, image = sys.argv[1:]
client = MCUmgrClient.serial(port, 115200, 5000)
expect("the boot loader has a name", client.os_bootloader_info() == {"name": "none"}, client.os_bootloader_info())
value = client.settings_read_ext("log/keep-days", 1)
expect("a setting is cut at max_size", str(value.value) in ("0e", "b'\\x0e'"), value)
client.raw_command(True, 0, 4, {"datetime": "2026-11-28T12:00:00+0100"})
date = client.os_get_datetime().isoformat()
expect("a date has an offset without a colon", date.startswith("2026-11-28T11:00:0"), date)
running = client.image_get_state()
expect("the running image has a hash", len(running) == 1 and running[0].hash is not None, running)
client.firmware_update(Path(image).read_bytes(), skip_reboot=True, bootloader_type="MCUboot")
states = client.image_get_state()
expect("the uploaded image is activated", len(states) == 2 and states[1].pending, states)
finish()
