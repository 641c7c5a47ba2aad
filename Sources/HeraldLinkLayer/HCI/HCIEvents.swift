import HeraldBluetooth
import HeraldHAL

/// The events that a host wants to receive, by its event masks, and how they are written (Core Specification,
/// Vol 4, Part E, 7.7).
struct HCIEvents: BitwiseCopyable {
  /// Event codes, as their bits in Event_Mask: the code is one more.
  enum Code {
    static var disconnectionComplete: UInt8 { 0x05 }
    static var remoteVersion: UInt8 { 0x0C }
    static var commandComplete: UInt8 { 0x0E }
    static var commandStatus: UInt8 { 0x0F }
    static var hardwareError: UInt8 { 0x10 }
    static var completedPackets: UInt8 { 0x13 }
    static var overflow: UInt8 { 0x1A }
    static var leMeta: UInt8 { 0x3E }
  }

  /// Subevent codes of LE Meta events (7.7.65).
  enum Subevent {
    static var connectionComplete: UInt8 { 0x01 }
    static var advertisingReport: UInt8 { 0x02 }
    static var connectionUpdate: UInt8 { 0x03 }
    static var remoteFeatures: UInt8 { 0x04 }
  }

  /// Event_Mask.
  var mask: UInt64
  /// The lower half of LE_Event_Mask.
  var leMask: UInt32

  /// The masks after HCI_Reset (7.3.1, 7.8.1): LE Meta events are off.
  init() {
    mask = 0x1FFF_FFFF_FFFF
    leMask = 0x1F
  }

  /// Whether the host wants to receive an event.
  func allows(_ event: UInt8) -> Bool {
    mask &>> (UInt64(wide: UInt32(event)) &- 1) & 1 != 0
  }

  private func allows(le subevent: UInt8) -> Bool {
    allows(Code.leMeta) && leMask &>> (UInt32(subevent) &- 1) & 1 != 0
  }

  /// The header of an event with `length` bytes of parameters.
  static func begin(_ event: UInt8, _ length: UInt8, _ writer: inout ByteWriter) {
    writer.u8(0x04)
    writer.u8(event)
    writer.u8(length)
  }

  /// The beginning of an LE Meta event with `length` bytes after the subevent code; `false` if the host does
  /// not want to receive it.
  func beginMeta(_ subevent: UInt8, _ length: UInt8, _ writer: inout ByteWriter) -> Bool {
    guard allows(le: subevent) else { return false }
    Self.begin(Code.leMeta, length &+ 1, &writer)
    writer.u8(subevent)
    return true
  }

  /// Command Status (7.7.15).
  static func commandStatus(_ status: HCIStatus, _ opcode: UInt16, _ writer: inout ByteWriter) {
    begin(Code.commandStatus, 4, &writer)
    writer.u8(status.rawValue)
    writer.u8(1)
    writer.u16(opcode)
  }

  /// The beginning of Command Complete (7.7.14); the return parameters follow, and their length is set by
  /// `endComplete`.
  static func beginComplete(_ opcode: UInt16, _ writer: inout ByteWriter) {
    begin(Code.commandComplete, 0, &writer)
    writer.u8(1)
    writer.u16(opcode)
  }

  /// Sets the length of a Command Complete that begins at `start`.
  static func endComplete(_ start: Int, _ writer: inout ByteWriter) {
    let length = writer.count &- start &- 3
    var room = writer.part(start &+ 2..<start &+ 3)
    room[0] = UInt8(truncatingIfNeeded: length)
  }

  /// LE Connection Update Complete (7.7.65.3).
  func connectionUpdate(
    _ handle: UInt16, _ status: UInt8, _ interval: UInt16, _ latency: UInt16, _ timeout: UInt16,
    _ writer: inout ByteWriter
  ) {
    guard beginMeta(Subevent.connectionUpdate, 9, &writer) else { return }
    writer.u8(status)
    writer.u16(handle)
    writer.u16(interval)
    writer.u16(latency)
    writer.u16(timeout)
  }

  /// LE Read Remote Features Complete (7.7.65.4).
  func remoteFeatures(_ handle: UInt16, _ status: UInt8, _ features: UInt64, _ writer: inout ByteWriter) {
    guard beginMeta(Subevent.remoteFeatures, 11, &writer) else { return }
    writer.u8(status)
    writer.u16(handle)
    writer.u64(features)
  }

  /// Read Remote Version Information Complete (7.7.12).
  func remoteVersion(
    _ handle: UInt16, _ status: UInt8, _ version: LinkLayerVersion, _ writer: inout ByteWriter
  ) {
    guard allows(Code.remoteVersion) else { return }
    Self.begin(Code.remoteVersion, 8, &writer)
    writer.u8(status)
    writer.u16(handle)
    writer.u8(version.number)
    writer.u16(version.company)
    writer.u16(version.subversion)
  }
}
