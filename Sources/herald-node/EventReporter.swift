import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldLinux
import HeraldText
import Logging

/// Logs the events of the sensor, depending on the log level. At the default level it logs none.
struct EventReporter: SensorDelegate {
  private let logger: Logger
  private let tellsPeers: Bool
  private let tellsReadings: Bool
  /// The last fault reported in this state of the radio: a persistent fault is reported once.
  private var lastFault: String?

  init(_ logger: Logger) {
    self.logger = logger
    tellsPeers = logger.logLevel <= .info
    tellsReadings = logger.logLevel <= .trace
  }

  mutating func didDetect(_ target: TargetIdentity, at now: Instant) {
    if tellsPeers { logger.info("\(target.text) is there") }
  }

  mutating func didMeasure(_ target: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    if tellsReadings { logger.trace("\(target.text) at \(rssi.rawValue) dBm") }
  }

  mutating func didRead(_ target: TargetIdentity, _ payload: Span<UInt8>, known: Bool, at now: Instant) {
    if tellsPeers {
      logger.info("\(target.text) has \(known ? "a known" : "a new") payload of \(payload.count) bytes")
    }
  }

  mutating func didReceive(_ sender: TargetIdentity, _ message: Span<UInt8>, at now: Instant) {
    Announcement.say("received \(sender.text) \(Hexadecimal.text(message))")
  }

  mutating func didVisit(_ visit: Visit, at now: Instant) {
    Announcement.say("visit \(visit.venue.text) \(visit.end.since(visit.begin).milliseconds / 1000)")
  }

  mutating func didObserve(
    _ target: TargetIdentity, _ service: ServiceNumber, _ code: Span<UInt8>, at now: Instant
  ) {
    if tellsPeers {
      logger.info("\(target.text) shows \(Hexadecimal.text(code)) of service \(service.rawValue)")
    }
  }

  mutating func didLose(_ target: TargetIdentity, at now: Instant) {
    if tellsPeers { logger.info("\(target.text) is gone") }
  }

  /// Internal messages are logged at `debug`; unexpected ones at the default level.
  static var debugLevel: DebugLevel { .debug }

  mutating func note(
    _ level: DebugLevel, _ text: StaticString, _ first: Int32, _ second: Int32, at now: Instant
  ) {
    if level == .fault {
      guard lastFault != "\(text)" else { return }
      lastFault = "\(text)"
      logger.warning("\(text)")
    } else if logger.logLevel <= .debug {
      logger.debug("\(text): \(first), \(second)")
    }
  }

  mutating func didUpdateState(_ state: SensorState, at now: Instant) {
    lastFault = nil
    logger.notice("the radio \(state == .on ? "works" : "does not work at present")")
    if state == .on { Announcement.say("radio-ready") }
  }
}

extension TargetIdentity {
  /// The identity as in `contacts.csv`.
  fileprivate var text: String { IdentityBits(self).text }
}
