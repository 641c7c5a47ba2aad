/// Up to `capacity` elements that keep their slot until they are removed, stored in place.
///
/// `insert` takes the lowest free slot and hands the element back when there is none. A slot is a stable
/// small number, so other tables can refer to it. Looking up by content is a scan: the tables that need more
/// keep an index of their own beside it.
public struct FixedTable<Element: BitwiseCopyable, let capacity: Int>: ~Copyable {
  private var storage: [capacity of Element]
  private var occupied: [capacity of Bool]
  /// How many slots are taken: 0…`capacity`.
  public private(set) var count: Int

  /// The outcome of an insertion.
  public enum Insertion {
    /// The element went to this slot.
    case inserted(Int)
    /// Every slot is taken; here is the element back.
    case full(Element)
  }

  /// An empty table. `filler` stands in unused slots and is never handed out.
  public init(filler: Element) {
    storage = .init(repeating: filler)
    occupied = .init(repeating: false)
    count = 0
  }

  /// Whether no slot is taken.
  public var isEmpty: Bool { count == 0 }
  /// Whether `insert` would hand its element back.
  public var isFull: Bool { count == capacity }

  /// Puts `element` into the lowest free slot.
  public mutating func insert(_ element: Element) -> Insertion {
    var slot = 0
    while slot < capacity {
      if !occupied[slot] {
        storage[slot] = element
        occupied[slot] = true
        count &+= 1
        return .inserted(slot)
      }
      slot &+= 1
    }
    return .full(element)
  }

  /// Removes and returns the element at `slot`; `nil` if the slot is free or does not exist.
  @discardableResult
  public mutating func remove(at slot: Int) -> Element? {
    guard slot >= 0, slot < capacity, occupied[slot] else { return nil }
    occupied[slot] = false
    count &-= 1
    return storage[slot]
  }

  /// The element at `slot`; `nil` if the slot is free or does not exist. Setting a free slot does nothing,
  /// and setting `nil` removes.
  public subscript(slot: Int) -> Element? {
    get {
      guard slot >= 0, slot < capacity, occupied[slot] else { return nil }
      return storage[slot]
    }
    set {
      guard slot >= 0, slot < capacity, occupied[slot] else { return }
      if let newValue { storage[slot] = newValue } else { remove(at: slot) }
    }
  }

  /// Removes everything.
  public mutating func removeAll() {
    occupied = .init(repeating: false)
    count = 0
  }
}
