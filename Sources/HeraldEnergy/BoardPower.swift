/// What is known of the currents and the supply of a board.
package struct BoardPower: Equatable, Sendable {
  /// The name of the board, as its firmware reports it.
  package let board: String
  /// The chip, as in `linker/CHIP.ld`.
  package let chip: String
  /// The cell; `nil` for a board without a battery.
  package let cell: BoardCell?
  /// The current in mA of the parts around the chip, which flows always: dividers and, where it was found,
  /// the regulator (docs/boards.md).
  let standing: Double
  /// Whether the crystal oscillator of 32 MHz always runs, because the board has no crystal of 32 kHz.
  let hasCrystalAlways: Bool

  private init(
    _ board: String, _ chip: String, _ cell: BoardCell?, standing: Double = 0, hasCrystalAlways: Bool = false
  ) {
    self.board = board
    self.chip = chip
    self.cell = cell
    self.standing = standing
    self.hasCrystalAlways = hasCrystalAlways
  }

  /// The coin cell of the development kits, measured at VDD.
  private static let coin = BoardCell(
    chemistry: .lithiumManganese, capacity: 220, isAssumed: false, empty: 2_000, full: 2_950)
  /// Boards with a connector for a cell are sold without one.
  private static let lithium = BoardCell(
    chemistry: .lithiumIon, capacity: 500, isAssumed: true, empty: 3_300, full: 4_200)

  /// The boards whose currents are known.
  package static let all = [
    BoardPower("nrf52833dk", "nrf52833", coin),
    BoardPower("nrf52840dk", "nrf52840", coin),
    // Chip, regulator and divider were measured as 5.4 µA, of which 2 are the chip's.
    BoardPower("xiao-nrf52840", "nrf52840", lithium, standing: 0.0034),
    BoardPower("feather-nrf52840", "nrf52840", lithium, standing: 0.0185),
    BoardPower("herald-wearable", "nrf52833", lithium, standing: 0.000_25, hasCrystalAlways: true),
    BoardPower("nrf52840-dongle", "nrf52840", nil),
  ]

  /// The board of this name; `nil` if nothing is known of it.
  package static func named(_ board: String) -> BoardPower? { all.first { $0.board == board } }

  /// The mean current in mA for what a device of this board measured.
  /// - Throws: the reason why it is not known.
  package func current(_ use: MeasuredUse) throws(MeasuredUse.Defect) -> Double {
    guard let model = EnergyModel.of(chip: chip) else { throw .unknownBoard(board) }
    return try model.parts(use, hasCrystalAlways: hasCrystalAlways).total + standing
  }
}
