import HeraldCrypto

/// The init packet for Nordic's boot loader, sent before the application (`dfu-cc.proto` of nRF5 SDK 17:
/// Packet, Command, InitCommand).
///
/// It has no signature: the open boot loader of the nRF52840 Dongle accepts unsigned applications, and
/// requires signatures only for boot loaders and SoftDevices.
struct DFUInitPacket: Equatable {
  /// The application's version; a boot loader refuses one lower than that installed.
  var firmwareVersion: UInt32 = 1
  /// The hardware version: 52 for all nRF52.
  var hardwareVersion: UInt32 = 52
  /// The identifiers of the compatible SoftDevices; 0 for none.
  var softDevices: [UInt32] = [0]
  /// The size of the application in bytes.
  var size: UInt32
  /// SHA-256 of the application.
  var hash: [UInt8]
  /// Whether a boot loader built for debugging skips the version checks.
  var isDebug = false

  private static let opInit: UInt64 = 1
  private static let typeApplication: UInt64 = 0
  private static let hashSHA256: UInt64 = 3

  /// Creates the init packet of `application`.
  init(application: [UInt8]) {
    size = UInt32(clamping: application.count)
    hash = SHA256.hash(of: application.span)
  }

  /// The bytes of a `Packet`. The hash goes with its last byte first, as the SDK's boot loader compares it.
  var bytes: [UInt8] {
    typealias Buffer = ProtocolBuffer
    let digest = Buffer.field(1, Self.hashSHA256) + Buffer.field(2, hash.reversed())
    let fields: [[UInt8]] = [
      Buffer.field(1, UInt64(firmwareVersion)), Buffer.field(2, UInt64(hardwareVersion)),
      Buffer.field(3, softDevices.flatMap { Buffer.varint(UInt64($0)) }),
      Buffer.field(4, Self.typeApplication),
      Buffer.field(5, 0),  // bytes of a SoftDevice
      Buffer.field(6, 0),  // bytes of a boot loader
      Buffer.field(7, UInt64(size)), Buffer.field(8, digest), Buffer.field(9, isDebug ? 1 : 0),
    ]
    let command = Buffer.field(1, Self.opInit) + Buffer.field(2, Array(fields.joined()))
    return Buffer.field(1, command)
  }

  /// Reads a `Packet`, signed or not.
  /// - Throws: `FirmwareError` if it is none, or none for an application.
  init(_ packet: [UInt8]) throws(FirmwareError) {
    func message(_ bytes: [UInt8]?) throws(FirmwareError) -> [UInt64: ProtocolBuffer.Value] {
      guard let bytes, let fields = ProtocolBuffer.fields(bytes) else {
        throw FirmwareError("the init packet is damaged")
      }
      return Dictionary(fields.map { ($0.index, $0.value) }, uniquingKeysWith: { $1 })
    }
    func bytes(_ value: ProtocolBuffer.Value?) -> [UInt8]? {
      if case .bytes(let bytes)? = value { bytes } else { nil }
    }
    func number(_ value: ProtocolBuffer.Value?) -> UInt64? {
      if case .number(let number)? = value { number } else { nil }
    }
    var outer = try message(packet)
    if let signed = outer[2] { outer = try message(bytes(signed)) }
    let command = try message(bytes(outer[1]))
    let initial = try message(bytes(command[2]))
    guard number(command[1]) == Self.opInit else {
      throw FirmwareError("the init packet is not one of an application")
    }
    let type = number(initial[4]) ?? 0
    guard type == Self.typeApplication else {
      let names: [UInt64: String] = [
        1: "a SoftDevice", 2: "a boot loader", 3: "a SoftDevice with a boot loader",
        4: "an application for another chip",
      ]
      throw FirmwareError(
        "the init packet is one of \(names[type] ?? "an unknown kind"), not of an application")
    }
    let digest = try message(bytes(initial[8]))
    guard let size = number(initial[7]).flatMap({ UInt32(exactly: $0) }),
      number(digest[1]) == Self.hashSHA256,
      let hash = bytes(digest[2]), hash.count == 32
    else { throw FirmwareError("the init packet has no size, or no SHA-256, of the application") }
    self.size = size
    self.hash = hash.reversed()
    firmwareVersion = UInt32(clamping: number(initial[1]) ?? 0)
    hardwareVersion = UInt32(clamping: number(initial[2]) ?? 0)
    isDebug = number(initial[9]) == 1
    var packed = (bytes(initial[3]) ?? [])[...]
    softDevices = number(initial[3]).map { [UInt32(clamping: $0)] } ?? []
    while !packed.isEmpty {
      guard let one = ProtocolBuffer.takeVarint(&packed) else {
        throw FirmwareError("the init packet is damaged")
      }
      softDevices.append(UInt32(clamping: one))
    }
  }
}
