import HeraldBluetooth
import HeraldHAL

/// A phone's GATT server, reduced to the requests of a device that reads its payload: one Herald service
/// (0xFCF6) with the compliant signal characteristic and a payload characteristic, read with the minimum
/// ATT_MTU in several parts: 129 bytes, or 13 bytes for a fixed payload. It also has the CovidWatch number
/// and the C19X code for devices that read neighbours' payloads.
///
/// Its responses are hand-written from the specification and share no code with the server of the core.
struct SimulatedPeer: BitwiseCopyable {
  private static var payloadSize: Int { 129 }
  /// The client identifier of the fixed payload; `nil` for the payload of 129 bytes.
  private var identifier: UInt64?

  /// Creates a peer with a payload of 129 bytes with ascending values from 0.
  init() {}

  /// Creates a peer with the fixed payload of this client identifier: family 1, country 826, state 0.
  init(fixedPayload identifier: UInt64) { self.identifier = identifier }

  /// Writes the response to one ATT request into `buffer` of 23 bytes. Returns its length; 0 if there is
  /// none.
  mutating func answer(_ request: Span<UInt8>, into buffer: inout MutableSpan<UInt8>) -> Int {
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    switch request[0] {
    case 0x02:  // Exchange MTU
      writer.u8(0x03)
      writer.u16(23)
    case 0x06 where request.count == 9 && request[7] == 0xF6 && request[8] == 0xFC && request[1] <= 0x10:
      writer.u8(0x07)  // Find By Type Value: the service has the handles 0x0010…0x0014
      writer.u16(0x0010)
      writer.u16(0x0014)
    case 0x08 where request.count == 7 && request[1] <= 0x11:  // the signal characteristic
      writer.u8(0x09)
      writer.u8(21)
      writer.u16(0x0011)
      writer.u8(0x08)
      writer.u16(0x0012)
      writer.uuid128(UUID128(0xf617_b813_092e_437a, 0x8324_e09a_8082_1a11))
    case 0x08 where request.count == 7 && request[1] <= 0x13:  // the payload characteristic
      writer.u8(0x09)
      writer.u8(21)
      writer.u16(0x0013)
      writer.u8(0x02)
      writer.u16(0x0014)
      writer.uuid128(UUID128(0x3e98_c0f8_8f05_4829, 0xa121_43e3_8f89_33e7))
    case 0x06 where request.count == 9 && request[7] == 0x19 && request[8] == 0xC0 && request[1] <= 0x20:
      writer.u8(0x07)  // CovidWatch: 0x0020…0x0022
      writer.u16(0x0020)
      writer.u16(0x0022)
    case 0x06 where request.count == 23 && request[15] == 0x13 && request[22] == 0x00 && request[1] <= 0x30:
      writer.u8(0x07)  // C19X: 0x0030…0x0032
      writer.u16(0x0030)
      writer.u16(0x0032)
    case 0x08 where request.count == 7 && request[1] >= 0x20 && request[1] <= 0x21:
      writer.u8(0x09)
      writer.u8(21)
      writer.u16(0x0021)
      writer.u8(0x0A)
      writer.u16(0x0022)
      writer.uuid128(UUID128(0xd61f_4f27_3d6b_4b04, 0x9e46_c9d2_ea61_7f62))
    case 0x08 where request.count == 7 && request[1] >= 0x30 && request[1] <= 0x31:
      writer.u8(0x09)
      writer.u8(21)
      writer.u16(0x0031)
      writer.u8(0x08)
      writer.u16(0x0032)
      writer.uuid128(UUID128(0x0022_d481_83fe_1f13, 0x0102_0304_0506_0708))
    case 0x0A where request.count == 3 && request[1] == 0x22:
      writer.u8(0x0B)
      for index in 0..<16 { writer.u8(UInt8(truncatingIfNeeded: index)) }
    case 0x0A where request.count == 3 && request[1] == 0x14:  // Read
      writer.u8(0x0B)
      payload(from: 0, &writer)
    case 0x0C where request.count == 5 && request[1] == 0x14:  // Read Blob
      writer.u8(0x0D)
      payload(from: Int(request[3]) | Int(request[4]) << 8, &writer)
    case 0x12 where request.count >= 3:  // Write
      writer.u8(0x13)
    case 0x01, 0x1B, 0x1D, 0x52:
      return 0
    default:
      writer.u8(0x01)
      writer.u8(request[0])
      writer.u16(request.count >= 3 ? UInt16(request[1]) | UInt16(request[2]) << 8 : 0)
      writer.u8(0x0A)  // Attribute Not Found
    }
    return writer.count
  }

  private func payload(from offset: Int, _ writer: inout ByteWriter) {
    if let identifier {
      for index in offset..<max(offset, min(13, offset + 22)) {
        switch index {
        case 0: writer.u8(0x01)
        case 1: writer.u8(0x3A)
        case 2: writer.u8(0x03)
        case 3, 4: writer.u8(0)
        default: writer.u8(UInt8(truncatingIfNeeded: identifier &>> UInt64((index - 5) * 8)))
        }
      }
      return
    }
    for index in offset..<max(offset, min(Self.payloadSize, offset + 22)) {
      writer.u8(UInt8(truncatingIfNeeded: index))
    }
  }
}
