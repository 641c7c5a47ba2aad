import HeraldChips
@_exported import NRF52Boards
@_exported import NRF52HCI

/// The board, with the radio of its chip as a controller.
public typealias Board = NRF52Board<Dongle, NRF52OwnRadio>
