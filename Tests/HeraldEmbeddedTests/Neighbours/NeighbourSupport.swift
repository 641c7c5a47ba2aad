import HeraldBluetooth
import HeraldEmbedded
import HeraldNeighbours
import HeraldSimulation
import TestInputs
import Testing

extension ScenarioWith {
  /// What is on the air in turn while every set has its slice: the data as hexadecimal text, and the address.
  func onAir(milliseconds: UInt64 = 3_000) -> [(data: String, address: DeviceAddress)] {
    _ = node.radio.takeCommands()
    run(milliseconds: milliseconds)
    return node.radio.takeCommands().compactMap {
      if case .startAdvertising(let parameters, let data, _) = $0 {
        (text(data), parameters.ownAddress)
      } else {
        nil
      }
    }
  }

  /// The rows of the log with codes, without their times.
  func codes() -> [String] {
    log().compactMap { row in
      guard row.contains("observed") || row.contains("ownCode") else { return nil }
      return row.split(separator: " ").dropFirst().joined(separator: " ")
    }
  }

  /// A peer opens connection 0 and asks; the answer as hexadecimal text.
  func ask(_ request: String, on index: Int = 0) -> String {
    _ = node.radio.takeCommands()
    happen(.pdu(hex(request), on: ConnectionID(index: index)))
    return answers().map(text).joined(separator: " / ")
  }

  func peerConnects(_ peer: DeviceAddress = Peer.iPhone, on index: Int = 0) {
    happen(.opened(ConnectionID(index: index), .peripheral, peer: peer))
  }
}

/// A device that takes part in both systems, switched off at first.
typealias NeighbourScenario = ScenarioWith<CovidWatchAndC19X, HeraldGATTTable>

extension ScenarioWith where Services == CovidWatchAndC19X {
  /// Observes and shows both systems.
  static func withNeighbours(_ switches: (inout CovidWatchAndC19X) -> Void) -> NeighbourScenario {
    let scenario = NeighbourScenario()
    switches(&scenario.node.core.services)
    scenario.poll()
    return scenario
  }
}

func text(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
}

/// Day codes of days 0…89 as in the published vectors: the whole schedule of a secret of one zero byte.
func zeroSecretDayCodes(from day: Int, days: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: days * 8)
  var span = bytes.mutableSpan
  do {
    try C19XSchedule.deriveDayCodes(from: [UInt8(0)].span, first: day, last: day + days - 1, into: &span)
  } catch {
    Issue.record("\(error)")
  }
  return bytes
}
