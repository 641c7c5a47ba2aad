import HeraldHostLink
import HeraldText

/// A programming method: how boards are found on it, and how one is opened.
package struct ProgrammingMethod: Sendable {
  /// The kind of the programming interface.
  package typealias Kind = ProgrammingMethodKind

  /// The kind of the programming interface.
  package let kind: Kind
  /// The form of the text after `KIND:`, for display.
  package let form: String
  /// Finds boards, including unusable ones with the reason.
  package let find: @Sendable (FlashOptions) -> [FoundBoard]
  /// Opens the location given after `KIND:`.
  package let open: @Sendable (String, FlashOptions) throws(FlashFailure) -> any Programmer

  /// A programming method from its parts.
  package init(
    _ kind: Kind, form: String, find: @escaping @Sendable (FlashOptions) -> [FoundBoard],
    open: @escaping @Sendable (String, FlashOptions) throws(FlashFailure) -> any Programmer
  ) {
    self.kind = kind
    self.form = form
    self.find = find
    self.open = open
  }

  /// All programming methods, in the order in which they are tried.
  package static let all: [ProgrammingMethod] = [.probe, .drive, .serialDFU, .smp]

  /// The programming method and the rest of a location in the form of `--to`.
  /// - Throws: `.usage` if there is no such method.
  package static func parse(_ location: String, of methods: [ProgrammingMethod] = all) throws(FlashFailure)
    -> (
      ProgrammingMethod, String
    )
  {
    let parts = location.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, !parts[1].isEmpty,
      let method = methods.first(where: { $0.kind.rawValue == parts[0] })
    {
      return (method, String(parts[1]))
    }
    let forms = methods.map { "\($0.kind.rawValue):\($0.form)" }.joined(separator: ", ")
    throw FlashFailure(
      .link(.usage), "\(PrintableText.of(location)) is no place to write to", state: .untouched,
      advice: "the forms are \(forms); `herald-flash list` says what is there")
  }

  /// Opens a location in the form of `--to`.
  package static func open(_ location: String, _ options: FlashOptions, of methods: [ProgrammingMethod] = all)
    throws(FlashFailure) -> any Programmer
  {
    let (method, rest) = try parse(location, of: methods)
    return try method.open(rest, options)
  }
}

/// The options of all programming methods.
package struct FlashOptions: Sendable {
  /// How long one response may take.
  package var timeout: Duration
  /// USB/IP servers to look at as well: HOST or HOST:PORT.
  package var usbipServers: [String]
  /// The file with the access key of a device that is locked; `{serial}` in it stands for its serial number.
  package var keyFile: String?
  /// Whether a device may have no access key although there is a file with one for it.
  package var isNewDevice: Bool
  /// Whether an image that a device has been given to try stays without having been confirmed.
  package var isPermanent: Bool
  /// Whether a probe reads back every byte to compare, instead of page checksums computed by the chip.
  package var readsBack: Bool
  /// SWD clock of a probe, in Hz.
  package var clock: UInt32

  /// Two seconds for a response, 4 MHz, and nothing else.
  package init(
    timeout: Duration = .seconds(2), usbipServers: [String] = [], keyFile: String? = nil,
    isNewDevice: Bool = false, isPermanent: Bool = false, readsBack: Bool = false,
    clock: UInt32 = 4_000_000
  ) {
    self.timeout = timeout
    self.usbipServers = usbipServers
    self.keyFile = keyFile
    self.isNewDevice = isNewDevice
    self.isPermanent = isPermanent
    self.readsBack = readsBack
    self.clock = clock
  }
}

/// A board that was found, or something that could be one.
package struct FoundBoard: Equatable, Sendable {
  /// The location, in the form of `--to`.
  package let location: String
  /// The board's identification; `nil` if it could not be examined.
  package let identification: BoardIdentification?
  /// Why it cannot be used now; `nil` if it can.
  package let obstacle: FlashFailure?

  /// The programming method on which it was found.
  var kind: ProgrammingMethodKind? {
    location.split(separator: ":").first.flatMap { ProgrammingMethodKind(rawValue: String($0)) }
  }

  /// A board that can be used.
  package init(location: String, identification: BoardIdentification) {
    self.location = location
    self.identification = identification
    obstacle = nil
  }

  /// A board that cannot be examined.
  package init(location: String, obstacle: FlashFailure) {
    self.location = location
    identification = nil
    self.obstacle = obstacle
  }
}
