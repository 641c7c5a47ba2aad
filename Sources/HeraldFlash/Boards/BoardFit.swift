import HeraldHostLink

extension BoardDescription {
  /// Why this image cannot go onto this board, in words that follow "the image"; `nil` if it can.
  public func obstacle(to image: FirmwareImage) -> String? {
    guard !waysIn.isEmpty else { return "has nowhere to go: \(title) cannot be flashed" }
    if bootLoader == .mcuboot {
      guard let signed = image.mcuboot else {
        return "is not in MCUboot's form, which \(title) takes (`herald-flash convert --version` makes it)"
      }
      switch signed.hashState {
      case .right: return nil
      case .wrong: return "is damaged: its SHA-256 is not the one it carries"
      case .absent: return "carries no SHA-256, without which MCUboot starts nothing"
      }
    }
    if image.mcuboot != nil { return "is in MCUboot's form, and \(name) has no MCUboot" }
    if let family = image.uf2Family, family != uf2Family {
      let meant = UF2Family.name(of: family) ?? "0x\(family.hexadecimal(8))"
      return "is for the family \(meant), and \(name) has an \(chip)"
    }
    for segment in image.segments where !firmware.contains(segment.address, segment.end) {
      return
        "does not fit: it has bytes at \(Self.span(segment.address, segment.end)), and \(name) takes firmware at \(Self.span(firmware.start, firmware.end))"
    }
    let named = image.namedBoards
    if !named.isEmpty, !named.contains(where: { $0.name == name }) {
      return "was built for \(named.map(\.name).joined(separator: " or ")), not for \(name)"
    }
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
  /// The boards of ours that this image says it was built for: each image has its board's name in it, as a text that ends with a zero byte, because a running
  /// device is asked for it. Empty if it says nothing.
  public var namedBoards: [BoardDescription] {
    BoardCatalogue.all.filter { board in
      board.hasFirmware && segments.contains { $0.bytes.hasText(Array(board.name.utf8)) }
    }
  }

  /// The boards that it can go onto.
  public var fittingBoards: [BoardDescription] { BoardCatalogue.all.filter { $0.obstacle(to: self) == nil } }
}

extension [UInt8] {
  /// Whether `text` stands there as a whole: a zero byte behind it, and no letter, digit or sign that a name could have before it.
  fileprivate func hasText(_ text: [UInt8]) -> Bool {
    guard let first = text.first, count > text.count else { return false }
    var start = startIndex
    while let found = self[start...].firstIndex(of: first) {
      let end = found + text.count
      guard end < endIndex else { return false }
      if self[end] == 0, self[found..<end].elementsEqual(text) {
        guard found > startIndex else { return true }
        let before = self[found - 1]
        if before < 0x21 || before > 0x7E { return true }
      }
      start = found + 1
    }
    return false
  }
}
