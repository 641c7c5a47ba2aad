"""The boards that the model supports, and their differences (boards/*/README.md)."""

import dataclasses

from .boot_loader import ADAFRUIT, NORDIC, BootLoader
from .nor import NORFacts
from .twim import SensorFacts, lis2de12


@dataclasses.dataclass(frozen=True)
class BoardFacts:
    """`millivolts` are the voltages at the inputs of SAADC, by PSELP. VDD of the development kits is 3.0 V."""
    boot_loader: BootLoader | None = None
    memory: NORFacts | None = None
    millivolts: dict = dataclasses.field(default_factory=lambda: {9: 3000})
    is_high_voltage: bool = False
    has_button: bool = True
    sensor: SensorFacts | None = None
    # The pin of port 0 that is connected to the reset pin.
    reset_line: int | None = None


# Lithium-ion cells of 4.0 V. The XIAO is the variant without a motion sensor.
BOARDS = {
    "nrf52840-dongle": BoardFacts(NORDIC, is_high_voltage=True, reset_line=19),
    "xiao-nrf52840": BoardFacts(ADAFRUIT, NORFacts(bytes.fromhex("856015"), 21, 20, 24, 25, (22, 23), enters=3, releases=8), {9: 3300, 8: 1351}, sensor=SensorFacts(27, 7)),
    "feather-nrf52840": BoardFacts(ADAFRUIT, NORFacts(bytes.fromhex("c84015"), 19, 17, 22, 20, (23, 21), enters=20, releases=20), {9: 3300, 6: 2000}),
    "microbit2": BoardFacts(sensor=lis2de12(8, 16, control4=0xFF)),
    "herald-wearable": BoardFacts(None, NORFacts(bytes.fromhex("c22814"), 32 + 9, 5, 4, 30), {9: 2500, 6: 2381}, has_button=False, sensor=lis2de12(11, 31))}


def facts(board):
    """The facts of a board; those of the development kits if it is none of these."""
    return BOARDS.get(board, BoardFacts())
