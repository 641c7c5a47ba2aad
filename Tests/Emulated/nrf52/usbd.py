"""USBD, the USB device controller (nRF52833 and nRF52840 Product Specifications, "USBD"; anomalies 171, 187, 199 and 223). The host's end of the cable is in
usb_host.py, which calls the methods under "The bus"."""

import dataclasses

from .clocks import MICROSECOND
from .peripheral import Peripheral

STARTEPIN, STARTEPOUT, EP0RCVOUT, EP0STATUS, EP0STALL = 0x004, 0x028, 0x04C, 0x050, 0x054
USBRESET, STARTED, ENDEPIN, EP0DATADONE, ENDEPOUT, USBEVENT, EP0SETUP, EPDATA = 0x100, 0x104, 0x108, 0x128, 0x130, 0x158, 0x15C, 0x160
EVENTCAUSE, EPDATASTATUS, USBADDR, SETUP, SIZE, ENABLE = 0x400, 0x46C, 0x470, 0x480, 0x4A0, 0x500
USBPULLUP, DTOGGLE, EPINEN, EPOUTEN, EPSTALL, LOWPOWER, EPIN, EPOUT, STRIDE = 0x504, 0x50C, 0x510, 0x514, 0x518, 0x52C, 0x600, 0x700, 0x14
# Not in the manual, from Nordic's driver: removes a packet from an IN endpoint.
INTERNAL_INDEX, INTERNAL_VALUE, FIRST_INDEX = 0x800, 0x804, 0x7B6
# Of anomaly 199: with this value, tasks are accepted during a transfer. Anomaly 171: it does not wake up without this trim value.
TASK_GUARD, GUARDED, AWAKE = 0xC1C, 0x82, 0xC0
SUSPEND, RESUME, WUALLOWED, IS_READY = 1 << 8, 1 << 9, 1 << 10, 1 << 11
# The time from ENABLE to READY, and the duration of a transfer between RAM and an endpoint's buffer.
READY_TAKES, MOVE_TAKES = 20 * MICROSECOND, 3 * MICROSECOND
PACKET, COUNT = 64, 8
SET_ADDRESS = bytes([0, 5])
NAK, STALL, ACK = "NAK", "STALL", "ACK"


@dataclasses.dataclass
class Endpoint:
    is_enabled: bool = False
    is_stalled: bool = False
    toggle: int = 0
    # IN: the packet for the host. OUT: the packet for the image.
    packet: bytes | None = None
    # OUT: whether a packet is accepted.
    is_armed: bool = False


@dataclasses.dataclass
class Request:
    """The control request in progress."""
    setup: bytes
    moved: int = 0
    packet: bytes | None = None
    is_receiving: bool = False
    is_status_allowed: bool = False
    is_stalled: bool = False

    @property
    def is_in(self):
        return bool(self.setup[0] & 0x80)

    @property
    def length(self):
        return int.from_bytes(self.setup[6:8], "little")


class USBD(Peripheral):
    """`on_change` is called when the response to the host may have changed."""
    name, base, interrupt = "USBD", 0x40027000, 39
    has_inten, has_plain_events = True, False
    tasks = {**{STARTEPIN + 4 * number: f"STARTEPIN{number}" for number in range(8)}, **{STARTEPOUT + 4 * number: f"STARTEPOUT{number}" for number in range(8)},
             EP0RCVOUT: "EP0RCVOUT", EP0STATUS: "EP0STATUS", EP0STALL: "EP0STALL"}
    events = {USBRESET: "USBRESET", STARTED: "STARTED", **{ENDEPIN + 4 * number: f"ENDEPIN{number}" for number in range(8)}, EP0DATADONE: "EP0DATADONE",
              **{ENDEPOUT + 4 * number: f"ENDEPOUT{number}" for number in range(8)}, 0x154: "SOF", USBEVENT: "USBEVENT", EP0SETUP: "EP0SETUP", EPDATA: "EPDATA"}
    shortcuts = {2: (EP0DATADONE, EP0STATUS)}
    configuration = dict.fromkeys([EPINEN, EPOUTEN, DTOGGLE, EPSTALL, INTERNAL_INDEX, INTERNAL_VALUE, *[block + STRIDE * number + place for block in (EPIN, EPOUT)
                                                                                          for number in range(8) for place in (0, 4)]], 0)

    def __init__(self, chip):
        self.on_change = lambda: None
        super().__init__(chip)

    def reset(self):
        self.times_enabled = 0
        self.switch(False)

    def switch(self, is_on):
        super().reset()
        self.registers |= {EPINEN: 1, EPOUTEN: 1}
        self.is_enabled, self.is_ready, self.is_pulled_up, self.is_low_power = is_on, False, False, False
        self.cause = 0
        self.is_guarded = False
        self.forget_bus()
        self.on_change()

    def forget_bus(self):
        """The bus was reset, or there is none: endpoints are closed, and a transfer that continues does not end."""
        self.endpoints = {address: Endpoint() for address in [*range(1, COUNT), *range(0x81, 0x80 + COUNT)]}
        self.address = self.data_status = 0
        self.request = self.moving = self.chosen = None
        # The registers keep the last request: the peripheral completes Set Address by itself, possibly before the processor has read it.
        self.last_setup = bytes(8)

    def happens(self, cause):
        self.cause |= cause
        self.raise_event(USBEVENT)

    # Registers.

    def read(self, offset):
        if offset == ENABLE:
            return int(self.is_enabled)
        if not self.is_enabled:
            return 0
        if offset == EVENTCAUSE:
            return self.cause
        if offset == EPDATASTATUS:
            return self.data_status
        if offset == USBADDR:
            return self.address
        if SETUP <= offset < SETUP + 32:
            return self.last_setup[(offset - SETUP) // 4]
        if SIZE <= offset < SIZE + 4 * COUNT:
            if self.moving:
                self.misuse("SIZE.EPOUT was read during a transfer")
            number = (offset - SIZE) // 4
            packet = (self.request.packet if self.request else None) if number == 0 else self.endpoints[number].packet
            return len(packet or b"")
        if offset == USBPULLUP:
            return int(self.is_pulled_up)
        if offset == LOWPOWER:
            return int(self.is_low_power)
        return super().read(offset)

    def write(self, offset, value):
        if offset == ENABLE:
            return self.enable(value & 1)
        if not self.is_enabled:
            return
        if not self.is_ready and offset != EVENTCAUSE:
            self.misuse(f"{offset:#05x} was written before READY")
        if offset == EVENTCAUSE:
            self.cause &= ~value
        elif offset == EPDATASTATUS:
            self.data_status &= ~value
        elif SIZE < offset < SIZE + 4 * COUNT:
            self.accept((offset - SIZE) // 4)
        elif offset == USBPULLUP:
            self.pull_up(value & 1)
        elif offset == LOWPOWER:
            self.set_low_power(value & 1)
        elif offset == TASK_GUARD and self.chip.has_anomaly(199):
            self.is_guarded = value == GUARDED
        else:
            super().write(offset, value)
        self.on_change()

    def enable(self, is_on):
        if bool(is_on) == self.is_enabled:
            return
        if is_on and not self.chip.clocks.has_bus_voltage:
            self.misuse("enabled without VBUS")
        self.switch(bool(is_on))
        if is_on:
            self.times_enabled += 1
            # Anomaly 187: it does not become ready unless this is set.
            if self.chip.trim.activity == 3 and self.can_wake:
                self.chip.after(READY_TAKES, self, self.become_ready)

    @property
    def can_wake(self):
        """Whether it finds out of a state without power."""
        return self.chip.trim.wake_up == AWAKE or not self.chip.has_anomaly(171)

    def become_ready(self):
        self.is_ready = True
        self.happens(IS_READY)

    def pull_up(self, is_on):
        if is_on and not (self.chip.clocks.is_regulated and self.chip.clocks.is_on_crystal):
            self.misuse("the pull-up was switched on before OUTPUTRDY, or without the crystal")
        if is_on and self.chip.trim.wake_up:
            self.misuse("the trim of anomaly 171 was left behind")
        self.is_pulled_up = bool(is_on)

    def set_low_power(self, is_on):
        if self.moving:
            self.misuse("LOWPOWER was written during a transfer")
        if self.is_low_power and not is_on and self.can_wake:
            self.chip.after(5 * MICROSECOND, self, lambda: self.happens(WUALLOWED))
        self.is_low_power = bool(is_on) or self.is_low_power and not self.can_wake

    def configure(self, offset, value):
        if offset in (EPINEN, EPOUTEN):
            if not value & 1:
                self.misuse("the control endpoint was disabled")
            for number in range(1, COUNT):
                endpoint = self.endpoints[number | (0x80 if offset == EPINEN else 0)]
                endpoint.is_enabled = bool(value >> number & 1)
                endpoint.is_armed &= endpoint.is_enabled
        elif offset == DTOGGLE:
            # Chosen first, with a value that changes nothing.
            if value >> 8 == 0:
                self.chosen = value
            elif self.chosen == value & 0xFF and value >> 8 in (1, 2):
                self.endpoints[value & 0x87].toggle = (value >> 8) - 1
            else:
                self.misuse(f"{value:#x} for DTOGGLE without a choice before")
        elif offset == EPSTALL:
            if not value & 7:
                self.misuse("EPSTALL for the control endpoint")
            self.endpoints[value & 0x87].is_stalled = bool(value & 0x100)
        elif offset == INTERNAL_VALUE:
            number, odd = divmod(self.registers[INTERNAL_INDEX] - FIRST_INDEX, 2)
            if odd or not 0 <= number < COUNT - 1 or not value & 2:
                self.misuse(f"internal register {self.registers[INTERNAL_INDEX]:#x}")
            self.endpoints[0x81 + number].packet = None
            return
        super().configure(offset, value)

    def accept(self, number):
        """SIZE.EPOUT was written: the received packet is dropped, and the next one accepted."""
        endpoint = self.endpoints[number]
        if not endpoint.is_enabled:
            self.misuse(f"SIZE.EPOUT{number} of an endpoint that is off")
        endpoint.packet, endpoint.is_armed = None, True

    # Tasks.

    def trigger(self, task):
        if self.moving and self.chip.has_anomaly(199) and not self.is_guarded:
            self.misuse(f"{self.tasks[task]} during a transfer is lost (anomaly 199)")
        if task >= EP0RCVOUT:
            self.control_task(task)
        elif task >= STARTEPOUT:
            self.start_out((task - STARTEPOUT) // 4)
        else:
            self.start_in((task - STARTEPIN) // 4)
        self.on_change()

    def begin(self, block, number, event, finish):
        """A transfer of an endpoint; returns its location in RAM."""
        place, count = self.registers[block + STRIDE * number], self.registers[block + STRIDE * number + 4]
        if self.moving or self.is_low_power:
            self.misuse("a transfer during another one, or in low power")
        if self.has_happened(event):
            self.misuse(f"{self.events[event]} was not cleared before the transfer")
        if place % 4 or count > PACKET:
            self.misuse(f"a transfer of {count} bytes at {place:#x}")
        if count:
            self.chip.ram_range(place, count, self.name)
        self.moving = event

        def ends():
            # Unless the bus was reset meanwhile.
            if self.moving == event:
                self.moving = None
                finish(place, count)
                self.raise_event(event)
                self.on_change()

        self.raise_event(STARTED)
        self.chip.after(MOVE_TAKES, self, ends)

    def start_in(self, number):
        if number == 0:
            request = self.request
            if not (request and request.is_in and request.moved < request.length and request.packet is None):
                self.misuse("data that no request asks for")
        else:
            endpoint = self.endpoints[number | 0x80]
            if not endpoint.is_enabled or endpoint.packet is not None or self.data_status >> number & 1:
                self.misuse(f"EPIN{number} is off or full, or its EPDATASTATUS was not cleared")

        def finish(place, count):
            data = self.chip.load_ram(place, count, self.name) if count else b""
            if number:
                self.endpoints[number | 0x80].packet = data
            elif self.request is request:
                request.packet = data

        self.begin(EPIN, number, ENDEPIN + 4 * number, finish)

    def start_out(self, number):
        source = self.request if number == 0 else self.endpoints[number]
        if not source or source.packet is None:
            self.misuse(f"EPOUT{number} has no packet")
        if self.registers[EPOUT + STRIDE * number + 4] != len(source.packet):
            self.misuse("MAXCNT is not SIZE.EPOUT")
        if number and self.data_status >> 16 + number & 1:
            self.misuse(f"EPDATASTATUS of EPOUT{number} was not cleared")

        def finish(place, count):
            if count:
                self.chip.store_ram(place, source.packet, self.name)
            source.packet = None
            if number:
                source.is_armed = True

        self.begin(EPOUT, number, ENDEPOUT + 4 * number, finish)

    def control_task(self, task):
        request = self.request
        if not request or request.is_stalled or request.is_status_allowed:
            self.misuse(f"{self.tasks[task]} without a request")
        if task == EP0STALL:
            request.is_stalled = True
        elif task == EP0RCVOUT:
            if request.is_in or request.moved >= request.length or request.packet is not None:
                self.misuse("EP0RCVOUT without data to come")
            request.is_receiving = True
        else:
            if request.setup[:2] == SET_ADDRESS or not request.is_in and request.moved < request.length:
                self.misuse("EP0STATUS for Set Address, or before the data")
            request.is_status_allowed = True

    # The bus.

    @property
    def is_visible(self):
        # Anomaly 223: it may not work after a reset unless it was enabled twice.
        return self.chip.clocks.has_bus_voltage and self.is_pulled_up and self.times_enabled >= (2 if self.chip.has_anomaly(223) else 1)

    def reset_bus(self):
        self.forget_bus()
        self.registers |= {EPINEN: 1, EPOUTEN: 1}
        self.raise_event(USBRESET)

    def suspend(self):
        self.happens(SUSPEND)

    def resume(self):
        self.happens(RESUME)

    def setup(self, data):
        """A SETUP token, which is always accepted."""
        self.last_setup = bytes(data)
        self.request = Request(self.last_setup)
        # The controller answers this one by itself.
        self.request.is_status_allowed = data[:2] == SET_ADDRESS
        self.raise_event(EP0SETUP)
        return ACK

    def input(self, number):
        """An IN token: NAK, STALL, or toggle and packet."""
        if number == 0:
            return self.control_input()
        endpoint = self.endpoints[number | 0x80]
        if endpoint.is_stalled:
            return STALL
        if not endpoint.is_enabled or endpoint.packet is None:
            return NAK
        answer = endpoint.toggle, endpoint.packet
        endpoint.toggle ^= 1
        endpoint.packet = None
        self.data_status |= 1 << number
        self.raise_event(EPDATA)
        return answer

    def control_input(self):
        request = self.request
        if request.is_stalled:
            return STALL
        if request.is_in and request.packet is not None:
            toggle, data = (request.moved // PACKET + 1) % 2, request.packet
            request.moved += len(data)
            request.packet = None
            self.raise_event(EP0DATADONE)
            return toggle, data
        # The status stage of a request without data from the device.
        if request.is_in or not request.is_status_allowed:
            return NAK
        if request.setup[:2] == SET_ADDRESS:
            self.address = request.setup[2]
        self.request = None
        return 1, b""

    def output(self, number, toggle, data):
        """An OUT token with its packet."""
        if number == 0:
            return self.control_output(data)
        endpoint = self.endpoints[number]
        if endpoint.is_stalled:
            return STALL
        if not endpoint.is_armed or endpoint.packet is not None:
            return NAK
        # The same packet again is acknowledged and dropped (USB 2.0, 8.6.4).
        if toggle == endpoint.toggle:
            endpoint.toggle ^= 1
            endpoint.is_armed, endpoint.packet = False, bytes(data)
            self.data_status |= 1 << 16 + number
            self.raise_event(EPDATA)
        return ACK

    def control_output(self, data):
        request = self.request
        if request.is_stalled:
            return STALL
        if request.is_in:
            if not request.is_status_allowed:
                return NAK
            self.request = None
            return ACK
        if not request.is_receiving or request.packet is not None:
            return NAK
        request.is_receiving, request.packet = False, bytes(data)
        request.moved += len(data)
        self.raise_event(EP0DATADONE)
        return ACK
