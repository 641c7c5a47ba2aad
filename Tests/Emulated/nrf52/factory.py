"""Factory information, and registers that the product specification does not describe."""

from .peripheral import Peripheral


class Factory(Peripheral):
    """The part of FICR that the images read: DEVICEID; on the nRF52 DEVICEADDRTYPE, which says that the device address is a random one, and the revision, which is not documented there; on the nRF51 the trim values of RADIO (OVERRIDEEN, BLE_1MBIT)."""
    name, base = "FICR", 0x10000000

    def __init__(self, chip, number, revision):
        super().__init__(chip)
        self.known = {0x060: number & 0xFFFFFFFF, 0x064: number >> 32}
        if chip.kind.is_nrf51:
            self.known |= {0x0AC: 0xFFFFFFF7, **{0x0EC + 4 * place: 0x100 + place for place in range(5)}}
        else:
            self.known |= {0x0A0: 0xFFFFFFFF, 0x134: revision}

    def read(self, offset):
        if offset not in self.known:
            self.misuse(f"a read of {offset:#05x}, where no register is known")
        return self.known[offset]


class SleepTrim(Peripheral):
    """The register that is described only in anomaly 246: the sleep current."""
    name, base = "the register of anomaly 246", 0x4007A000
    REGISTER, EASED = 0xC84, 2

    def reset(self):
        super().reset()
        self.is_eased = False

    def write(self, offset, value):
        if (offset, value) != (self.REGISTER, self.EASED):
            self.misuse(f"{value:#x} to {offset:#x}, which is not known")
        self.is_eased = True


class USBTrim(Peripheral):
    """Registers at 0x4006EC00 that are described only in anomalies 171, 187 and 211, protected by a key."""
    name, base = "the registers of anomalies 171, 187 and 211", 0x4006E000
    KEY, WAKE_UP, ACTIVITY, UNLOCK = 0xC00, 0xC14, 0xD14, 0x9375

    def reset(self):
        super().reset()
        self.is_open, self.activity, self.wake_up = False, 0, 0

    def read(self, offset):
        if offset == self.KEY:
            return int(self.is_open)
        return super().read(offset)

    def write(self, offset, value):
        if offset == self.KEY:
            if value == self.UNLOCK:
                self.is_open = not self.is_open
        elif offset == self.ACTIVITY and self.is_open:
            self.activity = value
        elif offset == self.WAKE_UP and self.is_open and self.chip.has_anomaly(171):
            self.wake_up = value
        else:
            self.misuse(f"{value:#x} to {offset:#x}, which is locked or not known")
