import HeraldDeviceLink

/// A device of a test whose image slot is an array.
package protocol ArrayImageSlot: ImageSlot, ~Copyable {
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
  package var takesImages: Bool { true }
  package static var hasImageSlot: Bool { true }
  package func imageCapacity() -> UInt32 { UInt32(Self.slotSize) }
  package func imageSize() -> UInt32 { UInt32(slot.count) }
  package mutating func eraseImage() -> Bool {
    guard takesImages else { return false }
    slot = []
    return true
  }
  package mutating func appendImage(_ bytes: Span<UInt8>) -> Bool {
    for index in 0..<bytes.count { slot.append(bytes[index]) }
    return slot.count <= Self.slotSize
  }
  package func readImage(offset: UInt32, into buffer: inout MutableSpan<UInt8>) -> Bool {
    guard Int(offset) + buffer.count <= slot.count else { return false }
    for index in 0..<buffer.count { buffer[index] = slot[Int(offset) + index] }
    return true
  }
  package func imagePlan() -> ImagePlan { plan }
  package mutating func planImage(_ plan: ImagePlan) -> Bool {
    self.plan = plan
    return true
  }
}
