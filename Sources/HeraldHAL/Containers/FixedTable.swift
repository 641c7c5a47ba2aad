/// Up to `capacity` elements that keep their place until they are removed, stored in place.
///
/// `insert` takes the lowest free place and hands the element back when there is none. A place is a stable
/// small number, so other tables can refer to it. Looking up by content is a scan: the tables that need more
/// keep an index of their own beside it.
public struct FixedTable<Element: BitwiseCopyable, let capacity: Int>: ~Copyable {
  private var storage: [capacity of Element]
  private var occupied: [capacity of Bool]
  /// How many places are taken: 0…`capacity`.
  public private(set) var count: Int

  /// The outcome of an insertion.
  public enum Insertion {
    /// The element went to this place.
    case inserted(Int)
    /// Every place is taken; here is the element back.
    case full(Element)
  }

  /// An empty table. `filler` stands in unused places and is never handed out.
  public init(filler: Element) {
    storage = .init(repeating: filler)
    occupied = .init(repeating: false)
    count = 0
  }

  /// Whether no place is taken.
  public var isEmpty: Bool { count == 0 }
  /// Whether `insert` would hand its element back.
  public var isFull: Bool { count == capacity }

  /// Puts `element` into the lowest free place.
  public mutating func insert(_ element: Element) -> Insertion {
    var place = 0
    while place < capacity {
      if !occupied[place] {
        storage[place] = element
        occupied[place] = true
        count &+= 1
        return .inserted(place)
      }
      place &+= 1
    }
    return .full(element)
  }

  /// Removes and returns the element at `place`; `nil` if the place is free or does not exist.
  @discardableResult
  public mutating func remove(at place: Int) -> Element? {
    guard place >= 0, place < capacity, occupied[place] else { return nil }
    occupied[place] = false
    count &-= 1
    return storage[place]
  }

  /// The element at `place`; `nil` if the place is free or does not exist. Setting a free place does nothing,
  /// and setting `nil` removes.
  public subscript(place: Int) -> Element? {
    get {
      guard place >= 0, place < capacity, occupied[place] else { return nil }
      return storage[place]
    }
    set {
      guard place >= 0, place < capacity, occupied[place] else { return }
      if let newValue { storage[place] = newValue } else { remove(at: place) }
    }
  }

  /// Removes everything.
  public mutating func removeAll() {
    occupied = .init(repeating: false)
    count = 0
  }
}
