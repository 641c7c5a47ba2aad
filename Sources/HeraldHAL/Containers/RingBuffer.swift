/// A first-in, first-out queue of at most `capacity` elements, stored in place.
///
/// When full, `append` hands the element back and keeps the queue as it was. Nothing else fails. The idle
/// state is whatever `filler` is, so a filler of zero bits keeps an empty queue in .bss.
public struct RingBuffer<Element: BitwiseCopyable, let capacity: Int>: ~Copyable {
  private var storage: [capacity of Element]
  private var head: Int
  /// How many elements are queued: 0…`capacity`.
  public private(set) var count: Int

  /// An empty queue. `filler` stands in unused slots and is never handed out.
  public init(filler: Element) {
    storage = .init(repeating: filler)
    head = 0
    count = 0
  }

  /// Whether nothing is queued.
  public var isEmpty: Bool { count == 0 }
  /// Whether `append` would hand its element back.
  public var isFull: Bool { count == capacity }

  @inline(__always)
  private func storageIndex(_ index: Int) -> Int {
    let position = head &+ index
    return position < capacity ? position : position &- capacity
  }

  /// Appends `element` at the end. Returns it, leaving the queue as it was, if there is no room.
  @discardableResult
  public mutating func append(_ element: Element) -> Element? {
    guard count < capacity else { return element }
    storage[storageIndex(count)] = element
    count &+= 1
    return nil
  }

  /// Removes and returns the oldest element, or `nil` if there is none.
  public mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = storage[head]
    head = storageIndex(1)
    count &-= 1
    return element
  }

  /// The element `index` elements behind the oldest, or `nil` outside `0..<count`.
  public subscript(index: Int) -> Element? {
    guard index >= 0, index < count else { return nil }
    return storage[storageIndex(index)]
  }

  /// The oldest element.
  public var first: Element? { self[0] }
  /// The newest element.
  public var last: Element? { self[count &- 1] }

  /// Empties the queue.
  public mutating func removeAll() {
    head = 0
    count = 0
  }
}
