/// The first byte of an H4 packet (Vol 4, Part A, 2).
public enum PacketType {
  /// A command, host to controller.
  public static var command: UInt8 { 0x01 }
  /// ACL data, both directions.
  public static var aclData: UInt8 { 0x02 }
  /// Synchronous data, which this host never requests.
  public static var synchronousData: UInt8 { 0x03 }
  /// An event, controller to host.
  public static var event: UInt8 { 0x04 }
  /// Isochronous data, which this host never requests.
  public static var isochronousData: UInt8 { 0x05 }
}
