"""A device that advertises (ADV_NONCONN_IND) and receives between its advertising events: `beacon.py SIMULATION NUMBER [EVENTS]`.
It prints the packets that it receives."""

import random
import sys

from packets import ADV_NONCONN_IND
from phy import Ended, Phy

ADDRESS = bytes.fromhex("0b00f0f0f0f0")
DATA = b"\x02\x01\x06\x09\x09py-beacn"


def main(simulation, number, events):
    phy = Phy(simulation, number)
    # TxAdd is set: the address is random.
    pdu = bytes([0x40 | ADV_NONCONN_IND, 6 + len(DATA)]) + ADDRESS + DATA
    chance = random.Random(number)
    time = 20000
    try:
        for _ in range(events):
            for place, channel in enumerate((37, 38, 39)):
                end = phy.transmit(time + 1000 * place, channel, pdu)
            packet = phy.receive(end + 200, 37, 60000)
            if packet:
                print(packet.start, packet.pdu.hex(), packet.crc_ok, packet.rssi)
            time = max(time + 100000 + chance.randrange(10000), phy.now + 500)
        phy.leave()
    except Ended:
        pass


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 20)
