"""The mean current of a chip with its own radio, from the counters of its link layer, and from what the model counts: instructions and the time of flash operations.

Currents in mA, typical values at 3 V with the DC/DC converter, of the product specifications. Those that the simulation uses as well are read from its source (`EnergyModel`)."""

import re

from emulator import ROOT

SOURCE = ROOT / "Sources" / "HeraldEnergy" / "EnergyModel.swift"
# The high-frequency clock from the crystal, with a TIMER at 1 MHz, and the same from the internal oscillator (nRF52840 PS, "Current consumption", I_TIMER2 and I_TIMER0). The
# driver runs TIMER0 while the crystal is on.
CRYSTAL, INTERNAL = 0.646, 0.418
# The nRF51822 at 3 V without the DC/DC converter, whose coil the micro:bit does not have (nRF51822 PS v3, "Electrical specifications": I_TX,0dBm, I_RX,1M, I_CPU,Flash, I_ON with
# all RAM, and I_X16M, which is used all the time: the low-frequency clock is derived from this crystal). Of these only 2.6 µA was found again in public (devzone.nordicsemi.com, question 3139).
NRF51822 = {"transmitting": 10.5, "receiving": 13.0, "processing": 4.4, "sleeping": 0.0026}
NRF51822_CRYSTAL = 0.47
ROLES = ("advertiser", "scanner", "initiator", "peripheral", "central")


def currents(chip):
    """transmitting, receiving, processing (nRF52: in addition to the high-frequency clock), sleeping, by name."""
    if chip == "nrf51822":
        return NRF51822
    text = SOURCE.read_text()
    # The properties of the model come first; those of its results have the same names.
    found = {name: float(value) for name, value in reversed(re.findall(r"package var (\w+) = ([\d.]+)", text))}
    if chip == "nrf52840":
        found |= {name: float(value) for name, value in re.findall(r"model\.(\w+) = ([\d.]+)", text)}
    return found


def mean_current(chip, counters, seconds, awake, stalled):
    """In mA. `counters` are the groups of statistics over `seconds`; `awake` and `stalled` the parts of the time in which the processor executed instructions or waited for
    the flash. The radio has its full current during ramp-ups. The specifications have no current for flash operations: it is taken to be that of a running processor."""
    mA = currents(chip)

    def share(name):
        return sum(counters[role][name] for role in ROLES) / 1000 / seconds
    is_nrf51 = chip == "nrf51822"
    internal = 0 if is_nrf51 else INTERNAL
    transmits, receives, ramps, crystal = (share(f"{name}_ms") for name in ("transmit", "receive", "ramp", "crystal"))
    parts = {
        "transmit": mA["transmitting"] * transmits,
        "receive": mA["receiving"] * receives,
        "ramp": max(mA["transmitting"], mA["receiving"]) * ramps,
        "crystal": NRF51822_CRYSTAL if is_nrf51 else CRYSTAL * (crystal - transmits - receives - ramps),
        "processor": (mA["processing"] + internal) * awake,
        "flash": (mA["processing"] + internal) * stalled,
        "sleep": mA["sleeping"],
    }
    return sum(parts.values()), parts
