"""BlueZ's daemon in the guest, as a Herald phone."""

import os
import subprocess
import time

from dbus_fast import BusType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.constants import PropertyAccess
from dbus_fast.service import ServiceInterface, dbus_property, method

SERVICE = "428132af-4746-42d3-801e-4572d65bfd9b"
PAYLOAD = "3e98c0f8-8f05-4829-a121-43e38f8933e7"
SIGNAL = "f617b813-092e-437a-8324-e09a80821a11"


# Processes that run until the guest ends.
programs = []


def start():
    """Starts the system bus and the daemon, and returns when it has switched on its adapter, of which there must be only one."""
    os.makedirs("/run/dbus", exist_ok=True)
    # Otherwise it switches on every adapter that appears, such as the node's controller between two nodes.
    os.makedirs("/etc/bluetooth", exist_ok=True)
    with open("/etc/bluetooth/main.conf", "w") as file:
        file.write("[Policy]\nAutoEnable=false\n")
    subprocess.check_call(["dbus-uuidgen", "--ensure"])
    subprocess.check_call(["dbus-daemon", "--system", "--fork"])
    daemon = next(path for path in ("/usr/libexec/bluetooth/bluetoothd", "/usr/sbin/bluetoothd") if os.path.exists(path))
    programs.append(subprocess.Popen([daemon], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    for _ in range(600):
        if "Powered: yes" in tool("show"):
            return
        time.sleep(0.5)
        tool("power", "on")
    raise SystemExit("bluetoothd does not switch its controller on")


def tool(*words):
    """The output of bluetoothctl for these commands."""
    return subprocess.run(["bluetoothctl", *words], capture_output=True, text=True, timeout=300).stdout


def managed(*words):
    """The output of btmgmt for this command. It ends without a response at the end of its input."""
    end, input_end = os.pipe()
    try:
        return subprocess.run(["btmgmt", *words], capture_output=True, text=True, stdin=end, timeout=300, check=False).stdout
    finally:
        os.close(end)
        os.close(input_end)


class Service(ServiceInterface):
    """Herald's service, as BlueZ's D-Bus interface requires it."""

    def __init__(self):
        super().__init__("org.bluez.GattService1")

    @dbus_property(access=PropertyAccess.READ)
    def UUID(self) -> "s":
        return SERVICE

    @dbus_property(access=PropertyAccess.READ)
    def Primary(self) -> "b":
        return True


class Characteristic(ServiceInterface):
    """One of its characteristics: `value` is returned to reads, `written` are the values written by peers."""

    def __init__(self, service, uuid, flags, value=b""):
        super().__init__("org.bluez.GattCharacteristic1")
        self.service, self.uuid, self.flags, self.value = service, uuid, flags, value
        self.reads = 0
        self.written = []

    @dbus_property(access=PropertyAccess.READ)
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(access=PropertyAccess.READ)
    def Service(self) -> "o":
        return self.service

    @dbus_property(access=PropertyAccess.READ)
    def Flags(self) -> "as":
        return self.flags

    @method()
    def ReadValue(self, options: "a{sv}") -> "ay":
        offset = options["offset"].value if "offset" in options else 0
        self.reads += offset == 0
        return self.value[offset:]

    @method()
    def WriteValue(self, value: "ay", options: "a{sv}"):
        self.written.append(bytes(value))


class Advertisement(ServiceInterface):
    """An advertisement with Herald's service."""

    def __init__(self):
        super().__init__("org.bluez.LEAdvertisement1")

    @dbus_property(access=PropertyAccess.READ)
    def Type(self) -> "s":
        return "peripheral"

    @dbus_property(access=PropertyAccess.READ)
    def ServiceUUIDs(self) -> "as":
        return [SERVICE]

    @method()
    def Release(self):
        pass


class Phone:
    """A context manager: BlueZ advertises Herald's service with this payload, and serves it."""

    def __init__(self, adapter, payload):
        self.adapter = f"/org/bluez/{adapter}"
        self.service = Service()
        self.payload = Characteristic("/phone/service", PAYLOAD, ["read"], payload)
        self.signal = Characteristic("/phone/service", SIGNAL, ["write"])
        self.advertisement = Advertisement()

    async def __aenter__(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        for path, one in {
            "/phone/service": self.service, "/phone/service/payload": self.payload, "/phone/service/signal": self.signal,
            "/phone/advertisement": self.advertisement,
        }.items():
            self.bus.export(path, one)
        adapter = self.bus.get_proxy_object("org.bluez", self.adapter, await self.bus.introspect("org.bluez", self.adapter))
        self.gatt = adapter.get_interface("org.bluez.GattManager1")
        self.advertising = adapter.get_interface("org.bluez.LEAdvertisingManager1")
        await self.gatt.call_register_application("/phone", {})
        await self.advertising.call_register_advertisement("/phone/advertisement", {})
        return self

    async def __aexit__(self, kind, error, trace):
        await self.advertising.call_unregister_advertisement("/phone/advertisement")
        await self.gatt.call_unregister_application("/phone")
        self.bus.disconnect()
