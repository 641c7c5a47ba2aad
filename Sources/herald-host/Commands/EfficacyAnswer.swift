import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

/// What `herald-host efficacy` prints: for programs as it is, for people as tables.
struct EfficacyAnswer: Encodable {
  struct Device: Encodable {
    let number: Int
    let folder: String
    let name: String
    let system: String
    let version: String
    let payload: String
    let rows: Int
    let damagedRows: Int
    let undatedRows: Int
    let unknownRows: Int
    let first: String?
    let last: String?
    /// How many devices it detected, and how many detected it.
    let detected: Int
    let detectedBy: Int
    /// The windows with an event of this device as observer, and of the others of it.
    let windowsAsObserver: Int
    let percentAsObserver: Double
    let windowsAsObserved: Int
    let percentAsObserved: Double
  }

  struct Pair: Encodable {
    /// Numbers of devices.
    let observer: Int
    let observed: Int
    let detected: Bool
    let events: Int
    let windows: Int
    let percent: Double
  }

  struct Share: Encodable {
    let achieved: Int
    let maximum: Int
    let percent: Double
  }

  let from: String
  let to: String
  let zone: String
  let shares: String
  let windowSeconds: Int
  let windows: Int
  let devices: [Device]
  let detection: Share
  let continuity: Share
  let pairs: [Pair]
  /// The period as people read it.
  private let localPeriod: String

  private enum CodingKeys: CodingKey {
    case from, to, zone, shares, windowSeconds, windows, devices, detection, continuity, pairs
  }

  /// The number of devices up to which people get a line for each pair.
  private static let mostListed = 20

  init(_ efficacy: Efficacy, days: LocalDays, shares: Efficacy.ShareRule) {
    let windows = efficacy.windows
    let all = efficacy.pairs
    let others = max(efficacy.devices.count - 1, 0) * windows
    func date(_ seconds: Int64) -> String { UTCTimestamp.json(UInt64(clamping: seconds * 1000)) }
    (from, to) = (date(efficacy.from), date(efficacy.to))
    localPeriod =
      "\(days.localTime(of: efficacy.from * 1000)) to \(days.localTime(of: efficacy.to * 1000)) (\(days.zone))"
    zone = days.zone
    self.shares = shares.rawValue
    windowSeconds = Int(Efficacy.windowSeconds)
    self.windows = windows
    devices = efficacy.devices.enumerated().map { index, device in
      let observer = all.filter { $0.observer == index }
      let observed = all.filter { $0.observed == index }
      let ownWindows = observer.reduce(0) { $0 + $1.windows }
      let otherWindows = observed.reduce(0) { $0 + $1.windows }
      return Device(
        number: index + 1, folder: PrintableText.of(device.recording.folder),
        name: PrintableText.of(device.recording.name), system: PrintableText.of(device.recording.system),
        version: PrintableText.of(device.recording.version),
        payload: PrintableText.of(device.recording.payload), rows: device.rows,
        damagedRows: device.damagedRows, undatedRows: device.undatedRows, unknownRows: device.unknownRows,
        first: device.first.map(date), last: device.last.map(date),
        detected: observer.count { $0.isDetected },
        detectedBy: observed.count { $0.isDetected }, windowsAsObserver: ownWindows,
        percentAsObserver: Efficacy.percent(ownWindows, of: others), windowsAsObserved: otherWindows,
        percentAsObserved: Efficacy.percent(otherWindows, of: others))
    }
    detection = Share(
      achieved: efficacy.detected, maximum: all.count,
      percent: Efficacy.percent(efficacy.detected, of: all.count))
    continuity = Share(
      achieved: efficacy.achievedWindows, maximum: efficacy.maximumWindows,
      percent: Efficacy.percent(efficacy.achievedWindows, of: efficacy.maximumWindows))
    pairs = all.map {
      Pair(
        observer: $0.observer + 1, observed: $0.observed + 1, detected: $0.isDetected, events: $0.events,
        windows: $0.windows, percent: Efficacy.percent($0.windows, of: windows))
    }
  }

  /// A row for each ordered pair.
  var csv: String {
    var lines = [
      "observer,observer_folder,observer_payload,observed,observed_folder,observed_payload,detected,events,windows,max_windows,percent"
    ]
    for pair in pairs {
      let (one, other) = (devices[pair.observer - 1], devices[pair.observed - 1])
      lines.append(
        [
          String(pair.observer), TableText.field(one.folder), TableText.field(one.payload),
          String(pair.observed),
          TableText.field(other.folder), TableText.field(other.payload), pair.detected ? "1" : "0",
          String(pair.events), String(pair.windows), String(windows), Self.digits(pair.percent, 4),
        ].joined(separator: ","))
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func digits(_ value: Double, _ count: Int) -> String {
    String(format: "%.\(count)f", value)
  }

  // MARK: For people

  func print() {
    Console.line("\(localPeriod): \(Console.count(windows, "window")) of \(windowSeconds) s")
    Console.line("")
    printDevices()
    printMatrix()
    printPairs()
    Console.line(
      "Detection:  \(detection.achieved.groupedDigits) of \(Console.count(detection.maximum, "pair")), \(Self.digits(detection.percent, 2)) %"
    )
    Console.line(
      "Continuity: \(continuity.achieved.groupedDigits) of \(Console.count(continuity.maximum, "window")), \(Self.digits(continuity.percent, 2)) %"
    )
  }

  private func printDevices() {
    let others = devices.count - 1
    var rows = [
      ["", "DEVICE", "NAME", "SYSTEM", "PAYLOAD", "DETECTED", "DETECTED BY", "CONTINUITY", "OF IT"]
    ]
    for device in devices {
      rows.append([
        String(device.number), device.folder, device.name, "\(device.system) \(device.version)",
        device.payload, "\(device.detected) of \(others)", "\(device.detectedBy) of \(others)",
        "\(Self.digits(device.percentAsObserver, 2)) %", "\(Self.digits(device.percentAsObserved, 2)) %",
      ])
    }
    Console.printTable(rows, right: [0, 5, 6, 7, 8])
    Console.line("")
  }

  private func printMatrix() {
    Console.line("Who detected whom (row: observer, column: observed):")
    let detected = Set(pairs.filter(\.detected).map { [$0.observer, $0.observed] })
    var rows = [[""] + devices.map { String($0.number) }]
    for one in devices {
      rows.append(
        [String(one.number)]
          + devices.map { other in
            one.number == other.number ? "." : detected.contains([one.number, other.number]) ? "yes" : "no"
          })
    }
    Console.printTable(rows, right: Set(0...devices.count))
    Console.line("")
  }

  private func printPairs() {
    guard devices.count <= Self.mostListed else {
      Console.line("The windows of each pair: --csv")
      Console.line("")
      return
    }
    var rows = [["OBSERVER", "OBSERVED", "WINDOWS", ""]]
    for pair in pairs {
      rows.append([
        "\(pair.observer) \(devices[pair.observer - 1].folder)",
        "\(pair.observed) \(devices[pair.observed - 1].folder)",
        "\(pair.windows.groupedDigits) of \(windows.groupedDigits)", "\(Self.digits(pair.percent, 2)) %",
      ])
    }
    Console.printTable(rows, right: [2, 3])
    Console.line("")
  }
}
