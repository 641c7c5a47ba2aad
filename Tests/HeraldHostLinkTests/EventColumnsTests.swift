import HeraldBluetooth
import HeraldEmbedded
import Testing

@testable import HeraldHostLink

/// Events in the columns of the database.
@Suite("Columns of events")
struct EventColumnsTests {
  let peer = TargetIdentity(kind: .randomAddress, high: 0x7BAC, low: 0xAC34_E94A)

  @Test("Every event but a reading comes back from its columns as it was")
  func roundTrip() {
    let events: [LogEvent] = [
      .detected(peer), .read(peer), .shared(peer), .heraldDetected(peer), .lost(peer), .txPower(peer, -128),
      .received(peer), .model(peer), .neighbour(peer, .c19x), .neighbour(peer, .covidWatch),
      .visited(peer, firstReceived: .max, lastReceived: 0), .ownNeighbour(.covidWatch), .ownPayload,
      .motion(.worn), .motion(.lying), .motion(.unknown), .battery(level: 100, external: true),
      .battery(level: 0, external: false), .started(reason: 255),
      .restarted, .clockSet(unixMilliseconds: 1_669_760_510_000, source: .unset), .dropped(count: .max),
    ]
    var kinds: Set<EventColumns.Kind> = []
    for event in events {
      guard let columns = EventColumns(event) else {
        Issue.record("\(event) has no columns")
        continue
      }
      kinds.insert(columns.kind)
      let read = EventColumns(
        kind: columns.kind.rawValue, system: columns.system?.databaseName, value: columns.value,
        second: columns.second)
      #expect(read?.event(of: event.peer) == event)
      #expect(event.hasBytes == (columns.bytes != .none))
    }
    #expect(kinds.count == EventColumns.Kind.allCases.count)
    #expect(EventColumns(.measured(peer, RSSI(-50))) == nil)
  }

  @Test("Columns that are no event are none: of another kind, without their peer, or out of range")
  func refusals() {
    func event(_ kind: String, system: String? = nil, _ value: Int64? = nil, _ second: Int64? = nil)
      -> LogEvent?
    {
      EventColumns(kind: kind, system: system, value: value, second: second)?.event(of: nil)
    }
    #expect(event("detected") == nil && event("read") == nil && event("visit", 1, 2) == nil)
    #expect(event("own_code", system: "other") == nil && event("unknown") == nil)
    #expect(event("battery", 256, 0) == nil && event("battery", 50) == nil && event("dropped", -1) == nil)
    #expect(event("motion", 3) == nil && event("motion") == nil && event("motion", 1) == .motion(.lying))
    #expect(event("dropped", 7) == .dropped(count: 7))
    #expect(event("battery", 50, 1) == .battery(level: 50, external: true))
  }
}
