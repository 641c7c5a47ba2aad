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
  /// The board that this image says it was built for: `script/build` leaves `board=` and the board's name in each image, between zero bytes. `nil` if it says
  /// nothing, or says it more than once and not the same.
  public var builtFor: String? {
    var found: String?
    for segment in segments {
      for name in segment.bytes.boardNames {
        if let found, found != name { return nil }
        found = name
      }
    }
    return found
  }

  /// The boards that it can go onto.
  public var fittingBoards: [BoardDescription] { BoardCatalogue.all.filter { $0.obstacle(to: self) == nil } }
}

extension [UInt8] {
  /// The longest name of a board that is looked for.
  private static var longestName: Int { 32 }

  /// What stands between a zero byte and `board=`, and the next zero byte, as far as it is a name: small letters, digits and `-`.
  fileprivate var boardNames: [String] {
    let mark: [UInt8] = [0] + "board=".utf8
    var names: [String] = []
    var start = startIndex
    while let found = self[start...].firstIndex(of: 0) {
      start = found + 1
      guard self[found...].starts(with: mark) else { continue }
      let rest = self[(found + mark.count)...].prefix(Self.longestName + 1)
      guard let end = rest.firstIndex(of: 0), end > rest.startIndex else { continue }
      let name = rest[..<end]
      let isName = name.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
      }
      if isName { names.append(String(decoding: name, as: UTF8.self)) }
    }
    return names
  }
}
