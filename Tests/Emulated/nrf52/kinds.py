"""The chips that the model supports, and their differences."""

import dataclasses

from chips import FACTS, Facts


@dataclasses.dataclass(frozen=True)
class Kind:
    """`memory` has the sizes of flash and RAM, `pins` the number of pins of each port. `anomalies` are those that the model implements and that not all chips have,
    according to Nordic's list (`nrf52_erratas.h` of nrfx 4.2.1). By the same list its debug port is locked at each reset from revision `locks_from` on
    ("configuration 249")."""
    memory: Facts
    pins: tuple[int, int]
    anomalies: frozenset[int]
    locks_from: int


NRF52833 = Kind(FACTS["nrf52833"], (32, 10), frozenset({223}), 1)
NRF52840 = Kind(FACTS["nrf52840"], (32, 16), frozenset({171, 199}), 5)
KINDS = {kind.memory.name: kind for kind in (NRF52833, NRF52840)}
