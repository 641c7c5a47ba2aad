import HeraldBluetooth

/// How far the search for a service with a payload has got. Zero bits at the beginning.
struct ServiceSearch: BitwiseCopyable, Sendable {
  private var bits: UInt8 = 0

  init() {}

  /// The step that looked for a service last.
  var step: ExchangeStep { ExchangeStep(rawValue: bits & 7) ?? .closed }

  /// Why the payload of a service that was found could not be read; `nil` if there was no such service.
  var fault: HeraldCounter? {
    bits < 8 ? nil : bits < 16 ? .exchangesRefused : .exchangesMalformed
  }

  /// A search by this step begins.
  mutating func begin(_ step: ExchangeStep) { bits = bits & 24 | step.rawValue & 7 }

  /// The payload of a service could not be read.
  mutating func fail(isRefused: Bool) { bits = bits & 7 | (isRefused ? 8 : 16) }
}
