import HeraldChips

/// A model of a peripheral: behaves as its manual says, and keeps a list of what a driver did that the manual
/// forbids. A test ends by expecting that list to be empty.
class Peripheral {
  /// What was done that may not be, in order.
  private(set) var faults: [String] = []
  /// Accesses of the driver so far.
  private(set) var accesses = 0
  /// Called after each access of the driver, as time advances meanwhile: an interrupt may come, a byte may
  /// arrive.
  var meanwhile: (() -> Void)?
  private var isInMeanwhile = false

  func fault(_ what: String) { faults.append(what) }

  /// To be overridden: what a register holds. Called once for each access of the driver.
  func value(at offset: UInt32) -> UInt32 {
    fault("read of \(hexadecimal(offset)), where there is nothing to read")
    return 0
  }

  /// To be overridden: a register is written.
  func setValue(_ word: UInt32, at offset: UInt32) {
    fault("write of \(hexadecimal(word)) to \(hexadecimal(offset)), where nothing may be written")
  }

  fileprivate func passed() {
    accesses += 1
    elapse()
  }

  /// Time advances without an access.
  func elapse() {
    guard !isInMeanwhile, let meanwhile else { return }
    isInMeanwhile = true
    meanwhile()
    isInMeanwhile = false
  }
}

/// The registers of a model, as a driver gets them.
struct ModelRegisters: RegisterBlock {
  let model: Peripheral
  var bus: ModelMemory?

  init(_ model: Peripheral, bus: ModelMemory? = nil) {
    self.model = model
    self.bus = bus
  }

  func load(at offset: UInt32) -> UInt32 {
    defer { model.passed() }
    return model.value(at: offset)
  }
  func store(_ word: UInt32, at offset: UInt32) {
    model.setValue(word, at: offset)
    model.passed()
  }
  func busAddress(of memory: UnsafeRawBufferPointer) -> UInt32 {
    guard let bus else {
      model.fault("memory was named to a peripheral that does not reach any")
      return 0
    }
    return bus.address(of: UnsafeMutableRawBufferPointer(mutating: memory))
  }
}

/// What a peripheral with direct memory access reaches: the buffers that a driver has named, at addresses as
/// on the chip.
final class ModelMemory {
  private var buffers: [(address: UInt32, memory: UnsafeMutableRawBufferPointer)] = []

  func address(of memory: UnsafeMutableRawBufferPointer) -> UInt32 {
    for (address, known) in buffers {
      guard let start = known.baseAddress, let asked = memory.baseAddress else { continue }
      let distance = asked - start
      if distance >= 0, distance + memory.count <= known.count { return address + UInt32(distance) }
    }
    let address = buffers.last.map { $0.address + UInt32(($0.memory.count + 63) / 64 * 64) } ?? 0x2000_0000
    buffers.append((address, memory))
    return address
  }

  /// The byte at an address; `nil` if that is in no buffer that was named.
  subscript(address: UInt32) -> UInt8? {
    get { place(address).map { $0.load(as: UInt8.self) } }
    set {
      guard let place = place(address), let newValue else { return }
      place.storeBytes(of: newValue, as: UInt8.self)
    }
  }

  private func place(_ address: UInt32) -> UnsafeMutableRawPointer? {
    for (start, memory) in buffers where address >= start && address - start < UInt32(memory.count) {
      return memory.baseAddress.map { $0 + Int(address - start) }
    }
    return nil
  }
}

func hexadecimal(_ number: UInt32) -> String { "0x" + String(number, radix: 16, uppercase: true) }

/// Numbers that look random and are the same each time.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
