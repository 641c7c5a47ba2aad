"""One device of a medium: its requests, and its transmission or reception in progress."""

import enum
import struct

import phy
from phy import (ABORT, ADDRESS_FOUND, CRC_ERROR, DISCONNECT, HEADER_ERROR, IN_PROGRESS, NEVER, NEW_ABORT, NO_SYNC, OK, RECHECK,
                 RX, RX_CONTINUE, RX_DONE, RX_END, RX_REQUEST, RX_STOP, TERMINATE, TX, TX_DONE, TX_END, TX_REQUEST, UNLIMITED,
                 WAIT, WAIT_END)
from records import Record

# The share of damaged packets whose header is damaged, in percent: their reception ends there.
DAMAGED_HEADERS = 15
# The RSSI without a transmission, in dBm.
QUIET = -110


class Order(enum.IntEnum):
    """The order of actions in the same microsecond."""
    BEGIN_TX = 0
    BEGIN_RX = 1
    SEARCH = 2
    RECHECK_TX = 3
    PAYLOAD = 4
    SYNC = 5
    END_TX = 6
    END_WAIT = 7


class Finished(Exception):
    """A device has ended the simulation."""


class Misuse(Exception):
    """A request that the interface does not permit."""


class Transmission:
    def __init__(self, sender, request, packet):
        self.sender = sender
        (self.start, self.end, self.abort, self.recheck, self.address, self.modulation, self.frequency, self.power,
         _) = request
        self.packet = packet
        self.is_on_air = self.is_cut = self.is_damaged = False


class Reception:
    def __init__(self, request):
        (self.start, window, self.address, self.modulation, self.frequency, _, _, _, self.sync_time, self.header_time, _,
         self.abort, self.recheck) = request
        self.scan_end = NEVER - 1 if window == UNLIMITED else self.start + window - 1
        self.scan_end = min(self.scan_end, self.abort - 1)
        self.packet = None
        self.is_damaged = self.is_header_damaged = False
        self.rssi = QUIET * 65536

    def matches(self, transmission):
        return (transmission.address, transmission.modulation, transmission.frequency) == (
            self.address, self.modulation, self.frequency)


class Port:
    """A device. It has exactly one scheduled action at any time."""

    def __init__(self, medium, number):
        self.medium, self.number = medium, number
        self.paths = phy.fifos(medium.simulation, number)
        self.sink = open(self.paths[0], "wb", buffering=0)
        self.source = open(self.paths[1], "rb")
        self.transmission = self.reception = None
        self.plan = None

    def header(self):
        data = self.source.read(4)
        code = struct.unpack("<I", data)[0] if len(data) == 4 else DISCONNECT
        if code == TERMINATE:
            raise Finished
        if code == DISCONNECT:
            self.plan = self.reception = None
            self.medium.remove(self)
            return None
        return code

    def tell(self, code, *parts):
        try:
            self.sink.write(struct.pack("<I", code) + b"".join(parts))
        except BrokenPipeError:
            pass

    def close(self):
        self.tell(DISCONNECT)
        self.sink.close()
        self.source.close()
        phy.remove(self.paths)

    def at(self, time, order, action):
        self.plan = (time, order, self.number, action)

    def check(self, is_permitted, what):
        if not is_permitted:
            raise Misuse(f"device {self.number} at {self.medium.now} µs: {what}")

    def next_request(self):
        now = self.medium.now
        code = self.header()
        if code is None:
            return
        if code == WAIT:
            until, = struct.unpack("<Q", self.source.read(8))
            self.check(until >= now, f"wait until {until}")
            self.at(until, Order.END_WAIT, self.waited)
        elif code == TX:
            request = TX_REQUEST.unpack(self.source.read(TX_REQUEST.size))
            self.transmission = Transmission(self.number, request, self.source.read(request[-1]))
            self.check(self.transmission.start > now or now == 0, f"transmission at {self.transmission.start}")
            self.at(self.transmission.start, Order.BEGIN_TX, self.begin_transmission)
        elif code == RX:
            self.reception = Reception(RX_REQUEST.unpack(self.source.read(RX_REQUEST.size)))
            self.check(self.reception.start > now or now == 0, f"reception at {self.reception.start}")
            self.at(self.reception.start, Order.BEGIN_RX, self.begin_reception)
        else:
            self.check(False, f"request {code:#x}")

    def waited(self):
        self.tell(WAIT_END)
        self.next_request()

    def ask_again(self, request):
        """Asks the device for new abort and recheck times."""
        self.tell(RECHECK)
        code = self.header()
        if code is None:
            return False
        self.check(code == NEW_ABORT, f"{code:#x} in place of a new abort time")
        request.abort, request.recheck = ABORT.unpack(self.source.read(ABORT.size))
        return True

    # Transmission.

    def begin_transmission(self):
        self.transmission.is_on_air = True
        self.medium.begin(self.transmission)
        self.plan_transmission()

    def plan_transmission(self):
        transmission = self.transmission
        end = min(transmission.end, transmission.abort)
        if end >= transmission.recheck:
            self.at(transmission.recheck, Order.RECHECK_TX, self.recheck_transmission)
        else:
            self.at(end, Order.END_TX, self.end_transmission)

    def recheck_transmission(self):
        if self.ask_again(self.transmission):
            self.plan_transmission()
        else:
            self.transmission.is_on_air = False

    def end_transmission(self):
        sent, now = self.transmission, self.medium.now
        sent.is_on_air = False
        sent.is_cut = now < sent.end
        self.medium.record(Record(sent.start, now, self.number, sent.frequency / 256, sent.address, sent.packet))
        self.tell(TX_END, TX_DONE.pack(now))
        self.next_request()

    # Reception.

    def recheck_reception(self, is_searching):
        reception = self.reception
        if self.medium.now >= reception.recheck:
            if not self.ask_again(reception):
                return False
            if is_searching and reception.abort < reception.scan_end:
                reception.scan_end = reception.abort - 1
        return True

    def begin_reception(self):
        if not self.recheck_reception(True):
            return
        # A packet that begins in this microsecond can still be received.
        for port in self.medium.ports:
            sent = port.transmission
            if sent and sent.is_on_air and sent.start >= self.medium.now and self.detects(sent):
                self.found(sent)
                return
        self.search()

    def search(self):
        self.at(min(self.reception.scan_end + 1, self.reception.recheck), Order.SEARCH, self.searched)

    @property
    def is_searching(self):
        return self.reception is not None and self.plan is not None and self.plan[1] == Order.SEARCH

    def searched(self):
        if not self.recheck_reception(True):
            return
        if self.medium.now > self.reception.scan_end:
            self.end_reception(NO_SYNC, self.medium.now, b"")
        else:
            self.search()

    def detects(self, transmission):
        """Whether a transmission is detected. Half of the lost packets are not, and the others are damaged, some in the header."""
        reception = self.reception
        if not reception.matches(transmission) or not self.medium.reaches(transmission.sender, self.number):
            return False
        reception.is_damaged = self.medium.happens(self.medium.loss)
        reception.is_header_damaged = reception.is_damaged and self.medium.happens(DAMAGED_HEADERS)
        return not (reception.is_damaged and self.medium.happens(50))

    def found(self, transmission):
        reception = self.reception
        reception.packet = transmission
        reception.sync_end = transmission.start + max(reception.sync_time - 1, 0)
        self.plan_sync()

    def plan_sync(self):
        reception = self.reception
        self.at(min(reception.sync_end, reception.recheck, reception.scan_end + 1), Order.SYNC, self.synced)

    def synced(self):
        reception, now = self.reception, self.medium.now
        if not self.recheck_reception(True):
            return
        if now > reception.scan_end:
            self.end_reception(NO_SYNC, now, b"")
        elif not reception.packet.is_on_air:
            reception.packet = None
            self.at(now + 1, Order.BEGIN_RX, self.begin_reception)
        elif now < reception.sync_end:
            self.plan_sync()
        else:
            self.address_found()

    def address_found(self):
        reception, packet = self.reception, self.reception.packet.packet
        reception.rssi = self.medium.rssi(self.number, reception.frequency, QUIET)
        done = RX_DONE.pack(IN_PROGRESS, len(packet), reception.sync_end, self.medium.now, reception.rssi)
        self.tell(ADDRESS_FOUND, done, packet)
        code = self.header()
        if code == RX_CONTINUE:
            self.plan_payload()
        elif code == RX_STOP:
            self.reception = None
            self.next_request()
        elif code is not None:
            self.check(False, f"{code:#x} during a reception")

    def plan_payload(self):
        reception = self.reception
        end = self.header_end if reception.is_header_damaged else reception.packet.end
        time = min(end, reception.recheck, reception.abort)
        self.at(max(time, self.medium.now + 1), Order.PAYLOAD, self.payload_received)

    @property
    def header_end(self):
        return self.reception.sync_end + self.reception.header_time

    def payload_received(self):
        reception, now = self.reception, self.medium.now
        if not self.recheck_reception(False):
            return
        sent = reception.packet
        if now >= reception.abort:
            self.end_reception(HEADER_ERROR if now <= self.header_end else CRC_ERROR, reception.sync_end, b"")
        elif reception.is_header_damaged and now >= self.header_end:
            self.end_reception(HEADER_ERROR, reception.sync_end, b"")
        elif now < sent.end:
            self.plan_payload()
        elif sent.is_cut or reception.is_damaged or sent.is_damaged:
            self.end_reception(CRC_ERROR, reception.sync_end, b"")
        else:
            self.end_reception(OK, reception.sync_end, sent.packet)

    def end_reception(self, status, stamp, packet):
        rssi = self.reception.rssi
        self.reception = None
        self.tell(RX_END, RX_DONE.pack(status, len(packet), stamp, self.medium.now, rssi))
        self.next_request()
