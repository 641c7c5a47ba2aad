import Foundation

/// Where the people of a crowd are and how they move.
public enum CrowdScenario: String, CaseIterable, Sendable {
  /// All people are seated within range of each other.
  case room
  /// Three times the range across; people stroll from place to place, stay a while, and are switched on as
  /// they arrive.
  case crowd
  /// The same place; people walk and do not stop.
  case walk
}

/// Places of walking people: from one random point to the next (random waypoint), in a disc.
struct CrowdScene {
  struct Walker {
    var x: Float
    var y: Float
    var goalX: Float
    var goalY: Float
    /// Metres a second.
    var speed: Float
    /// When the next walk begins, in seconds.
    var pauseEnd: Float
  }

  let scenario: CrowdScenario
  /// Of the disc, in metres.
  let radius: Float
  /// The first so many sit if it is a room; those behind stroll in and out of it.
  let seated: Int
  /// How far those who stroll go from the centre, in metres.
  let strollRadius: Float
  var walkers: [Walker] = []
  var random: SeededRandom

  init(_ scenario: CrowdScenario, devices: Int, phones: Int = 0, range: Float, radius: Float?, seed: UInt64) {
    self.scenario = scenario
    self.radius = radius ?? (scenario == .room ? range / 2 : range * 1.5)
    seated = devices
    strollRadius = scenario == .room ? self.radius + range : self.radius
    random = SeededRandom(seed: SeededRandom.hash(seed &+ 1))
    for index in 0..<(devices + phones) {
      let (x, y) = point(within: index < devices ? self.radius : strollRadius)
      walkers.append(Walker(x: x, y: y, goalX: x, goalY: y, speed: 0, pauseEnd: 0))
    }
  }

  /// A point of the disc, all being equally likely.
  private mutating func point(within radius: Float) -> (Float, Float) {
    let distance = radius * Float(random.unit().squareRoot())
    let angle = Float(random.unit()) * 2 * .pi
    return (distance * cos(angle), distance * sin(angle))
  }

  /// Lets a second pass for one walker. Whether it has moved.
  mutating func step(_ index: Int, at second: Int) -> Bool {
    guard scenario != .room || index >= seated, Float(second) >= walkers[index].pauseEnd else { return false }
    let way = (walkers[index].goalX - walkers[index].x, walkers[index].goalY - walkers[index].y)
    let left = hypot(way.0, way.1)
    if left <= walkers[index].speed || left == 0 {
      (walkers[index].x, walkers[index].y) = (walkers[index].goalX, walkers[index].goalY)
      (walkers[index].goalX, walkers[index].goalY) = point(within: strollRadius)
      // Walking people do 0.7 to 1.8 m/s, strolling ones half of that, and stop for up to two minutes.
      let haste: Float = scenario == .walk ? 1 : 0.5
      walkers[index].speed = haste * (0.7 + 1.1 * Float(random.unit()))
      walkers[index].pauseEnd = scenario == .walk ? 0 : Float(second) + 120 * Float(random.unit())
    } else {
      walkers[index].x += way.0 / left * walkers[index].speed
      walkers[index].y += way.1 / left * walkers[index].speed
    }
    return true
  }
}
