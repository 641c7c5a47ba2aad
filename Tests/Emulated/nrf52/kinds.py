"""The chips that the model supports, and their differences."""

import dataclasses

from chips import FACTS, Facts


@dataclasses.dataclass(frozen=True)
class RadioFacts:
    """Delays of RADIO in µs, those of Zephyr's drivers: from TXEN and RXEN to READY with and without fast ramp-up, from START to the first bit at the antenna, from a
    bit at the antenna to its event, and from DISABLE to DISABLED while transmitting."""
    transmit_ramp: tuple[float, float]
    receive_ramp: tuple[float, float]
    transmit_chain: float
    receive_chain: float
    transmit_disable: float


@dataclasses.dataclass(frozen=True)
class Kind:
    """`memory` has the sizes of flash and RAM, `pins` how many there are of each port. `anomalies` are those that the model minds and that not all chips have, by
    Nordic's own list of what applies to which chip (`nrf52_erratas.h` of nrfx 4.2.1). By the same list its debug port is locked at each reset from revision `locks_from` on
    ("configuration 249"). An instruction takes so many `cycles` of 64 MHz, and the crystal of the high-frequency clock so many µs to start."""
    memory: Facts
    pins: tuple[int, ...]
    anomalies: frozenset[int]
    radio: RadioFacts
    locks_from: int = 0
    cycles: int = 1
    crystal_starts: int = 360

    @property
    def is_nrf51(self):
        return self.memory.name.startswith("nrf51")


NRF52_RADIO = RadioFacts((140, 41.05), (140, 40.3), 0.6, 9.4, 6)
NRF52833 = Kind(FACTS["nrf52833"], (32, 10), frozenset({223}), NRF52_RADIO, 1)
NRF52840 = Kind(FACTS["nrf52840"], (32, 16), frozenset({171, 199}), NRF52_RADIO, 5)
# A Cortex-M0 at 16 MHz, whose instructions take 1.25 cycles on average.
NRF51822 = Kind(FACTS["nrf51822"], (32,), frozenset({73}), RadioFacts((140, 140), (138, 138), 1, 3, 4), cycles=5, crystal_starts=1200)
KINDS = {kind.memory.name: kind for kind in (NRF51822, NRF52833, NRF52840)}
