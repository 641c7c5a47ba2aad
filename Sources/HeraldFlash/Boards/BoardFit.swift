import HeraldHostLink
import HeraldImages
import HeraldText

extension BoardDescription {
  /// Why this image cannot be written to this board, as text that follows "the image"; `nil` if it can.
  package func obstacle(to image: FirmwareImage) -> String? {
    guard !programmingMethods.isEmpty else {
      return "cannot be written: there is no programming method for \(title)"
    }
    if bootLoader == .mcuboot {
      guard let signed = image.mcuboot else {
        return "is not in MCUboot's form, which \(title) takes (`herald-flash convert --version` makes it)"
      }
      if let unsupported = signed.unsupported { return unsupported }
      switch signed.hashState {
      case .right, .unknown: return nil
      case .wrong: return "is damaged: its SHA-256 differs from the one in the image"
      case .absent: return "carries no SHA-256, without which MCUboot starts nothing"
      }
    }
    if image.mcuboot != nil { return "is in MCUboot's form, and \(name) has no MCUboot" }
    if let family = image.uf2Family, family != uf2Family {
      let meant = UF2Family.name(of: family) ?? "0x\(family.hexadecimal(8))"
      return "is for the family \(meant), and \(name) has an \(chip)"
    }
    for segment in image.segments where !firmware.contains(segment.address, segment.end) {
      if configuration?.contains(segment.address, segment.end) == true { continue }
      return
        "does not fit: it has bytes at \(Self.span(segment.address, segment.end)), and \(name) takes firmware at \(Self.span(firmware.start, firmware.end))"
    }
    if let other = image.builtFor, other != name { return "was built for \(other), not for \(name)" }
    guard let table = image.vectorTable, table.address == firmware.start, table.isPlausible else {
      return
        "has no vector table at 0x\(firmware.start.hexadecimal(8)), where \(name) starts: it was linked for another place"
    }
    guard UInt64(table.initialStackPointer) <= ram.end, table.initialStackPointer > ram.start else {
      return
        "puts its stack at 0x\(table.initialStackPointer.hexadecimal(8)), and the RAM of \(name) is \(Self.span(ram.start, ram.end))"
    }
    return nil
  }

  private static func span(_ start: UInt32, _ end: UInt64) -> String {
    "0x\(start.hexadecimal(8)) to 0x\((end - 1).hexadecimal(8))"
  }
}

extension FirmwareImage {
  /// The boards to which the image can be written.
  package var fittingBoards: [BoardDescription] { BoardCatalogue.all.filter { $0.obstacle(to: self) == nil } }
}
