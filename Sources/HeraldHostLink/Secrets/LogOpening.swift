import HeraldEmbedded
import HeraldText

/// The keys of some segments of sealed logs, which the owner gives to somebody who has to read some days of
/// some devices (docs/log-format.md, section 10). They open these segments and nothing else: neither the
/// owner's key nor that of another segment can be computed from them. The keys are overwritten in memory at
/// the end of the lifetime.
public final class LogOpening {
  static let firstLine = "herald-log-opening 1"
  /// The largest file in bytes.
  static let largest = 256 << 20
  /// The room for a file of unknown size.
  static let leastRoom = 64 << 10
  /// Bytes of a key with its check.
  static let keySize = 23

  /// Where a segment is.
  struct SegmentID: Hashable {
    let epoch: UInt32
    let sequence: UInt32
    let offset: UInt16
  }

  /// The keys for a device.
  final class Device {
    private var offsets: [SegmentID: Int] = [:]
    private let keys: SecretMemory

    /// With room for keys of `capacity` segments.
    init(capacity: Int) { keys = SecretMemory(capacity: capacity * LogOpening.keySize) }

    /// Where its keys are, in ascending order.
    var segments: [SegmentID] {
      offsets.keys.sorted { ($0.epoch, $0.sequence, $0.offset) < ($1.epoch, $1.sequence, $1.offset) }
    }

    /// Adds the key of a segment, of which `byte` gives 23 bytes. `false` if there is one for this segment.
    func add(_ segment: SegmentID, _ byte: (Int) -> UInt8) -> Bool {
      let start = offsets.count * LogOpening.keySize
      guard offsets[segment] == nil, start + LogOpening.keySize <= keys.bytes.count else { return false }
      for index in 0..<LogOpening.keySize { keys.bytes[start + index] = byte(index) }
      offsets[segment] = start
      return true
    }

    /// Appends the digits of the key of a segment.
    func write(_ segment: SegmentID, to text: inout SecretMemory) {
      guard let start = offsets[segment] else { return }
      for index in 0..<LogOpening.keySize { text.append(hexadecimal: keys.bytes[start + index]) }
    }

    /// As `SealedSegmentKeys.find`.
    func find(_ found: inout [32 of UInt8], of page: Span<UInt8>, at offset: Int) -> Bool {
      guard let header = LogPageHeader(page.extracting(offset..<page.count)),
        let segmentOffset = UInt16(exactly: offset),
        let start = offsets[SegmentID(epoch: header.epoch, sequence: header.sequence, offset: segmentOffset)]
      else { return false }
      // The check is in the page behind E and n.
      var difference: UInt8 = 0
      for index in 16..<LogOpening.keySize {
        difference |= keys.bytes[start + index] ^ page[offset + 73 + index - 16]
      }
      guard difference == 0 else { return false }
      for index in 0..<LogOpening.keySize { found[index] = keys.bytes[start + index] }
      return true
    }
  }

  private let devices: [String: Device]

  /// The serial numbers of its devices, sorted.
  public var serials: [String] { devices.keys.sorted() }
  /// The number of segments that it opens.
  public var segmentCount: Int { devices.values.reduce(0) { $0 + $1.segments.count } }

  init(_ devices: [String: Device]) { self.devices = devices }

  /// The keys for the device with this serial number.
  func device(_ serial: String) -> Device? { devices[serial] }

  /// Whether a file claims to be an opening.
  static func isOne(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.starts(with: Array("herald-log-opening".utf8))
  }

  /// Parses a file, which has exactly the form of docs/log-format.md.
  /// - Throws: `.usage` if it has not, with the number of the line.
  init(_ text: UnsafeBufferPointer<UInt8>, path: String) throws(HostLinkError) {
    var devices: [String: Device] = [:]
    var present: Device?
    var (number, count) = (0, 0)
    var isEnded = false
    func failure(_ what: String) -> HostLinkError {
      HostLinkError(
        .usage, "\(PrintableText.of(path, limit: 256)), line \(number): \(what)",
        advice: "the file is not whole, or was changed: get it again from whoever made it")
    }
    var rest = text[...]
    while !rest.isEmpty {
      number += 1
      guard let end = rest.firstIndex(of: 0x0A) else { throw failure("it has no end") }
      let line = rest[..<end]
      rest = rest[(end + 1)...]
      if number == 1 {
        guard line.elementsEqual(Self.firstLine.utf8) else {
          throw failure("it is an opening of another version")
        }
      } else if isEnded {
        throw failure("something follows the end")
      } else if line.starts(with: Array("segment ".utf8)) {
        guard let present, let segment = Self.segment(line), line.count == Self.lineSize else {
          throw failure("this is no segment")
        }
        let digits = line.dropFirst(Self.lineSize - 2 * Self.keySize)
        guard digits.allSatisfy({ Self.digit($0) != nil }) else { throw failure("this is no key") }
        let isNew = present.add(segment) { index in
          let start = digits.startIndex + 2 * index
          return (Self.digit(digits[start]) ?? 0) << 4 | (Self.digit(digits[start + 1]) ?? 0)
        }
        guard isNew else { throw failure("this segment is there twice") }
        count += 1
      } else if line.starts(with: Array("device ".utf8)) {
        let serial = String(decoding: line.dropFirst(7), as: UTF8.self)
        guard devices[serial] == nil, Self.isSerial(serial) else { throw failure("this is no other device") }
        // A line of a segment is longer than its key.
        let device = Device(capacity: rest.count / Self.lineSize + 1)
        devices[serial] = device
        present = device
      } else {
        guard line.elementsEqual("end \(count)".utf8) else { throw failure("this is no line of an opening") }
        isEnded = true
      }
    }
    guard isEnded else { throw failure("the rest is missing") }
    self.devices = devices
  }

  /// Bytes of a line of a segment, without its end: "segment ", 8 + 1 + 8 + 1 + 4 + 1 digits and spaces, and
  /// the key.
  private static let lineSize = 31 + 2 * keySize

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  private static func segment(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> SegmentID? {
    let fields = String(decoding: line.prefix(lineSize - 2 * keySize), as: UTF8.self).split(
      separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 5, fields[4].isEmpty, fields[1].utf8.count == 8, fields[2].utf8.count == 8,
      fields[3].utf8.count == 4, fields[1...3].joined().utf8.allSatisfy({ digit($0) != nil }),
      let epoch = UInt32(fields[1], radix: 16), let sequence = UInt32(fields[2], radix: 16),
      let offset = UInt16(fields[3], radix: 16)
    else { return nil }
    return SegmentID(epoch: epoch, sequence: sequence, offset: offset)
  }

  /// Whether a serial number can be in a line: printable ASCII, at least one character.
  static func isSerial(_ serial: String) -> Bool {
    !serial.isEmpty && serial.utf8.count <= 256 && serial.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Writes it to a new file accessible to its owner only.
  public func write(to path: String) throws(HostLinkError) {
    let room = devices.reduce(100) {
      $0 + $1.key.utf8.count + 10 + $1.value.segments.count * (Self.lineSize + 1)
    }
    var text = SecretMemory(capacity: room)
    text.append(Self.firstLine + "\n")
    for (serial, device) in devices.sorted(by: { $0.key < $1.key }) {
      text.append("device \(serial)\n")
      for segment in device.segments {
        text.append(
          "segment \(segment.epoch.hexadecimal(8)) \(segment.sequence.hexadecimal(8)) \(segment.offset.hexadecimal(4)) "
        )
        device.write(segment, to: &text)
        text.append("\n")
      }
    }
    text.append("end \(segmentCount)\n")
    try PrivateFile.makeFolder(for: path)
    try PrivateFile.write(text.used, to: path, replacing: false)
  }
}
