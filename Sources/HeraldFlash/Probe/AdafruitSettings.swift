import HeraldEmbedded
import HeraldHAL
import HeraldImages

/// The settings page of Adafruit's boot loader on an nRF52840, which says what the boot loader starts.
///
/// It is written with an image by a debug probe: with the settings of a former image the boot loader would
/// find a wrong CRC, and not start the new one. Its layout is that of `bootloader_settings_t` of nRF5 SDK 11:
/// the state of bank 0, its CRC-16, the state of bank 1, two unused bytes, the size of bank 0, and four words
/// for an update of the SoftDevice.
enum AdafruitSettings {
  /// The address of the page.
  static let address: UInt32 = 0xF_F000

  private static let valid: UInt16 = 0x01
  private static let invalid: UInt16 = 0xFF

  /// The page for an image, as a segment; `nil` if the board has another boot loader, or none.
  ///
  /// The boot loader compares the CRC at each start. Of an image with gaps it is not known: then it is 0,
  /// with which nothing is compared.
  static func segment(for plan: FlashPlan) -> FirmwareImage.Segment? {
    guard case .uf2 = plan.board.bootLoader, plan.board.chip == "nrf52840" else { return nil }
    let segments = plan.image.segments.filter { plan.board.firmware.contains($0.address, $0.end) }
    let whole = segments.count == 1 && segments[0].address == plan.board.firmware.start
    var bytes: [UInt8] = []
    bytes.append(littleEndian: valid)
    bytes.append(littleEndian: whole ? CRC16.initiallyOnes(segments[0].bytes) : 0)
    bytes.append(littleEndian: invalid)
    bytes.append(littleEndian: UInt16.max)
    bytes.append(littleEndian: UInt32(whole ? segments[0].bytes.count : 0))
    bytes += [UInt8](repeating: 0, count: 16)
    return FirmwareImage.Segment(address: address, bytes: bytes)
  }
}

extension ProbeProgrammer {
  /// What a boot loader needs that a probe does not write.
  package func remark(after plan: FlashPlan) -> String? {
    guard plan.board.bootLoader == .nordicDFU else { return nil }
    return
      "the boot loader starts this image only if its settings page accepts it, which a probe does not write: if it does not start, `herald-flash write --board \(plan.board.name)` over USB"
  }
}
