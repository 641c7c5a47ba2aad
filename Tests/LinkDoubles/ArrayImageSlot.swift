import HeraldDeviceLink
import HeraldEmbedded

/// A device of a test whose image slot is an array.
public protocol ArrayImageSlot: ImageSlot, ~Copyable {
  /// What has been written.
  var slot: [UInt8] { get set }
  /// What is to become of it.
  var plan: ImagePlan { get set }
  /// The most bytes it holds.
  static var slotSize: Int { get }
  /// Whether its flash takes anything.
  var takesImages: Bool { get }
}

extension ArrayImageSlot where Self: ~Copyable {
  public var takesImages: Bool { true }
  public static var hasImageSlot: Bool { true }
  public func imageCapacity() -> UInt32 { UInt32(Self.slotSize) }
  public func imageSize() -> UInt32 { UInt32(slot.count) }
  public mutating func eraseImage() -> Bool {
    guard takesImages else { return false }
    slot = []
    return true
  }
  public mutating func appendImage(_ bytes: Span<UInt8>) -> Bool {
    for index in 0..<bytes.count { slot.append(bytes[index]) }
    return slot.count <= Self.slotSize
  }
  public func readImage(offset: UInt32, into buffer: inout MutableSpan<UInt8>) -> Bool {
    guard Int(offset) + buffer.count <= slot.count else { return false }
    for index in 0..<buffer.count { buffer[index] = slot[Int(offset) + index] }
    return true
  }
  public func imagePlan() -> ImagePlan { plan }
  public mutating func planImage(_ plan: ImagePlan) -> Bool {
    self.plan = plan
    return true
  }
}
