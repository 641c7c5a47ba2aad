extension FirmwareImage {
  /// The board for which the image was built: `script/build` stores `board=` and the board's name in each
  /// image, between zero bytes. `nil` if there is none, or if there are several different ones.
  package var builtFor: String? {
    var found: String?
    for segment in segments {
      for name in segment.bytes.boardNames {
        if let found, found != name { return nil }
        found = name
      }
    }
    return found
  }
}

extension [UInt8] {
  /// The longest name of a board that is looked for.
  private static var longestName: Int { 32 }

  /// What stands between a zero byte and `board=`, and the next zero byte, as far as it is a name: small
  /// letters, digits and `-`.
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
