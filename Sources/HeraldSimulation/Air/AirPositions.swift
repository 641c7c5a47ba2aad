import Foundation

/// The positions of the stations, and the received power between them.
final class AirPositions {
  private let count: Int
  private let seed: UInt64
  private let model: AirModel
  private var x: [Float]
  private var y: [Float]
  /// The distance each station has moved, in metres, from which the shadowing is derived.
  private var walked: [Float]
  private var hasMoved: [Bool]
  private var anyMoved = true
  /// Mean received power in dBm, ordered by sender, then receiver.
  let powers: UnsafeMutablePointer<Float>
  /// The stations in range of each sender.
  private(set) var listeners: UnsafeMutablePointer<Int32>
  let listenerCounts: UnsafeMutablePointer<Int>

  /// The maximum gain by fading in dB. Receivers for which a packet is too weak even then are not examined.
  private static var bestFade: Float { 7 }

  init(count: Int, seed: UInt64, model: AirModel) {
    self.count = count
    self.seed = seed
    self.model = model
    x = Array(repeating: 0, count: count)
    y = x
    walked = x
    hasMoved = Array(repeating: true, count: count)
    powers = .allocate(capacity: count * count)
    listeners = .allocate(capacity: count * count)
    listenerCounts = .allocate(capacity: count)
    powers.initialize(repeating: -200, count: count * count)
    listenerCounts.initialize(repeating: 0, count: count)
    update()
  }

  deinit {
    powers.deallocate()
    listeners.deallocate()
    listenerCounts.deallocate()
  }

  func move(_ station: Int, x newX: Float, y newY: Float) {
    let step = hypot(newX - x[station], newY - y[station])
    x[station] = newX
    y[station] = newY
    walked[station] += step
    hasMoved[station] = true
    anyMoved = true
  }

  func position(_ station: Int) -> (x: Float, y: Float) { (x[station], y[station]) }

  func distance(_ first: Int, _ second: Int) -> Float {
    hypot(x[first] - x[second], y[first] - y[second])
  }

  @inline(__always)
  func power(_ sender: Int, _ receiver: Int) -> Float { powers[sender &* count &+ receiver] }

  /// Updates received powers and receivers in range from the positions.
  func update() {
    guard anyMoved else { return }
    anyMoved = false
    for first in 0..<count where hasMoved[first] {
      hasMoved[first] = false
      for second in 0..<count where second != first {
        let power = model.power(atDistance: distance(first, second)) + shadow(first, second)
        powers[first * count + second] = power
        powers[second * count + first] = power
      }
    }
    let least = model.sensitivity - Self.bestFade
    for sender in 0..<count {
      var number = 0
      let row = powers + sender * count
      let list = listeners + sender * count
      for receiver in 0..<count where row[receiver] >= least {
        list[number] = Int32(truncatingIfNeeded: receiver)
        number &+= 1
      }
      listenerCounts[sender] = number
    }
  }

  /// The shadowing between two stations in dB: interpolated from random values along the sum of the distances
  /// that they have moved. It is the same in both directions.
  private func shadow(_ first: Int, _ second: Int) -> Float {
    let pair = UInt64(min(first, second)) << 32 | UInt64(max(first, second))
    let way = (walked[first] + walked[second]) / model.shadowDistance
    let step = way.rounded(.down)
    let part = Double(way - step)
    let before = value(pair, UInt64(step))
    let after = value(pair, UInt64(step) + 1)
    // Weights with a constant sum of squares keep the deviation constant between two values.
    return model.shadowing * Float(before * cos(part * .pi / 2) + after * sin(part * .pi / 2))
  }

  private func value(_ pair: UInt64, _ step: UInt64) -> Double {
    var random = SeededRandom(seed: SeededRandom.hash(pair ^ SeededRandom.hash(seed &+ step &* 0x9E37_79B9)))
    return random.normal()
  }
}
