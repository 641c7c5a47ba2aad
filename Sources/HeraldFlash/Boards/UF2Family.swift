/// A UF2 family ID. The numbers are those of the list maintained by the format's authors, which has no nRF51
/// and no nRF53.
package struct UF2Family: Equatable, Sendable {
  /// The family ID in a block.
  package let id: UInt32
  /// The list's short name.
  package let name: String
  /// The chip, as in `linker/CHIP.ld`; `nil` if no board here has it.
  package let chip: String?

  /// The families that are common on boards of this kind.
  package static let all = [
    UF2Family(id: 0xADA5_2840, name: "NRF52840", chip: "nrf52840"),
    UF2Family(id: 0x621E_937A, name: "NRF52833", chip: "nrf52833"),
    UF2Family(id: 0x1B57_745F, name: "NRF52", chip: nil),
    UF2Family(id: 0x7272_1D4E, name: "NRF52832xxAA", chip: nil),
    UF2Family(id: 0x6F75_2678, name: "NRF52832xxAB", chip: nil),
    UF2Family(id: 0x820D_9A5F, name: "NRF52820", chip: nil),
    UF2Family(id: 0xE48B_FF56, name: "RP2040", chip: nil),
    UF2Family(id: 0xE48B_FF59, name: "RP2350_ARM_S", chip: nil),
    UF2Family(id: 0x68ED_2B88, name: "SAMD21", chip: nil),
    UF2Family(id: 0x5511_4460, name: "SAMD51", chip: nil),
  ]

  /// The family of a chip; `nil` if UF2 has none for it.
  package static func ofChip(_ chip: String) -> UF2Family? { all.first { $0.chip == chip } }

  /// The name that goes with a number; `nil` if it is not one of these.
  package static func name(of id: UInt32) -> String? { all.first { $0.id == id }?.name }

  /// Parses a family: a name of the list in any case, a board's or a chip's name, or the number in
  /// hexadecimal. `nil` if invalid.
  package static func parse(_ text: String) -> UInt32? {
    let lower = text.lowercased()
    if let family = all.first(where: { $0.name.lowercased() == lower || $0.chip == lower }) {
      return family.id
    }
    if let board = BoardCatalogue.named(lower) { return board.uf2Family }
    guard lower.hasPrefix("0x") else { return nil }
    return UInt32(lower.dropFirst(2), radix: 16)
  }
}
