"""Two Bumble hosts on two controllers, which advertise, scan, connect and use GATT. Run with the Python of script/interop:

    bumble_hosts.py PORT PORT

The first host is the peripheral. What each step found is printed as a line of JSON; an exception ends the program."""

import asyncio
import json
import sys

from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.transport import open_transport

SERVICE = UUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
READ, WRITE = UUID("6E400002-B5A3-F393-E0A9-E50E24DCCA9E"), UUID("6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
LONG = bytes(range(200))
ROUNDS = 3


async def transport(port):
    """The controller may not be listening yet."""
    for _ in range(100):
        try:
            return await open_transport(f"tcp-client:127.0.0.1:{port}")
        except ConnectionRefusedError:
            await asyncio.sleep(0.1)
    raise TimeoutError(f"no controller on port {port}")


async def device(port, name, address):
    link = await transport(port)
    settings = DeviceConfiguration(name=name, address=Address(address), le_privacy_enabled=False)
    return Device(config=settings, host=Host(link.source, link.sink)), link


def once(emitter, event):
    """A future with the first argument of the next such event, or None."""
    future = asyncio.get_running_loop().create_future()
    emitter.on(event, lambda *found: future.done() or future.set_result(found[0] if found else None))
    return future


async def use(number, peripheral, central, characteristic, written):
    """One connection: everything that a client does. Returns what was found."""
    found = {}
    heard = asyncio.get_running_loop().create_future()

    def advertised(advertisement):
        # With the scan response, which has the name.
        if advertisement.data.get(AdvertisingData.COMPLETE_LOCAL_NAME) and not heard.done():
            heard.set_result(advertisement)
    central.on("advertisement", advertised)
    await central.start_scanning(active=True, legacy=True)
    advertisement = await heard
    central.remove_listener("advertisement", advertised)
    await central.stop_scanning(legacy=True)
    found["address"] = str(advertisement.address)
    found["rssi"] = advertisement.rssi
    opened = once(peripheral, "connection")
    connection = await central.connect(advertisement.address)
    accepted = await opened
    found["roles"] = [connection.role_name, accepted.role_name]
    found["features"] = int(await central.get_remote_le_features(connection))
    peer = Peer(connection)
    found["mtu"] = await peer.request_mtu(247)
    await peer.discover_services()
    await peer.discover_characteristics()
    [read] = peer.get_characteristics_by_uuid(READ)
    [write] = peer.get_characteristics_by_uuid(WRITE)
    found["read"] = (await peer.read_value(read)).hex()
    await peer.write_value(write, LONG, with_response=True)
    found["written"] = written[-1].hex()
    notified = asyncio.get_running_loop().create_future()
    await peer.subscribe(read, lambda value: notified.done() or notified.set_result(value))
    await peripheral.notify_subscribers(characteristic, b"notified" * 10)
    found["notified"] = (await notified).hex()
    updated = once(accepted, "connection_parameters_update")
    await connection.update_parameters(15, 15, 2, 1000)
    await updated
    found["interval"] = accepted.parameters.connection_interval
    found["again"] = (await peer.read_value(read)).hex()
    ends = [once(connection, "disconnection"), once(accepted, "disconnection")]
    await (connection if number % 2 == 0 else accepted).disconnect()
    found["reasons"] = [await end for end in ends]
    return found


async def main(first, second):
    (peripheral, link_a), (central, link_b) = await asyncio.gather(
        device(first, "first", "F0:F0:F0:F0:F0:0A"), device(second, "second", "F0:F0:F0:F0:F0:0B"))
    written = []
    characteristic = Characteristic(READ, Characteristic.Properties.READ | Characteristic.Properties.NOTIFY,
                                    Characteristic.READABLE, LONG)
    receiver = Characteristic(WRITE, Characteristic.Properties.WRITE, Characteristic.WRITEABLE,
                              CharacteristicValue(write=lambda _, value: written.append(bytes(value))))
    peripheral.add_service(Service(SERVICE, [characteristic, receiver]))
    await asyncio.gather(peripheral.power_on(), central.power_on())
    peripheral.advertising_data = bytes(AdvertisingData([(AdvertisingData.FLAGS, b"\x06")]))
    peripheral.scan_response_data = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, b"air")]))
    for number in range(ROUNDS):
        await peripheral.start_advertising(auto_restart=False, advertising_interval_min=100, advertising_interval_max=100)
        print(json.dumps(await use(number, peripheral, central, characteristic, written)), flush=True)
    await asyncio.gather(link_a.close(), link_b.close())


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(main(*sys.argv[1:3]), 120))
