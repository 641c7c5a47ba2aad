import Foundation

/// The arrangement and movement of the people of a crowd.
public enum CrowdScenario: String, CaseIterable, Sendable {
  /// All people are seated within range of each other.
  case room
  /// An area three times the range in diameter; people walk between random points with pauses, and are
  /// switched on as they arrive.
  case crowd
  /// The same area; people walk without pauses.
  case walk
}

/// The positions of walking people in a disc: straight paths between random points (random waypoint model).
struct CrowdScene {
  struct Walker {
    var x: Float
    var y: Float
    var goalX: Float
    var goalY: Float
    /// Speed in metres per second.
    var speed: Float
    /// The end of the pause, in seconds since the start.
    var pauseEnd: Float
  }

  let scenario: CrowdScenario
  /// The radius of the disc in metres.
  let radius: Float
  /// The number of people who remain seated in a room; the others walk in and out of it.
  let seated: Int
  /// The maximum distance from the centre of those who walk, in metres.
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

  /// A point of the disc, uniformly distributed.
  private mutating func point(within radius: Float) -> (Float, Float) {
    let distance = radius * Float(random.unit().squareRoot())
    let angle = Float(random.unit()) * 2 * .pi
    return (distance * cos(angle), distance * sin(angle))
  }

  /// Advances one walker by a second. Returns whether it has moved.
  mutating func step(_ index: Int, at second: Int) -> Bool {
    guard scenario != .room || index >= seated, Float(second) >= walkers[index].pauseEnd else { return false }
    let way = (walkers[index].goalX - walkers[index].x, walkers[index].goalY - walkers[index].y)
    let left = hypot(way.0, way.1)
    if left <= walkers[index].speed || left == 0 {
      (walkers[index].x, walkers[index].y) = (walkers[index].goalX, walkers[index].goalY)
      (walkers[index].goalX, walkers[index].goalY) = point(within: strollRadius)
      // Walking: 0.7 to 1.8 m/s. Strolling: half of that, with pauses of up to two minutes.
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
