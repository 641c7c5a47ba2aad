import Testing

@testable import HeraldDeviceLink

/// Every standard request in every state (USB 2.0, 9.4.1 to 9.4.11: "Default state", "Address state",
/// "Configured state").
@Suite("USB chapter 9")
struct USBChapter9Tests {
  private enum State: CaseIterable {
    /// After a reset.
    case unaddressed
    case addressed
    case configured
  }

  /// A request and the states in which it is answered; in the others it is stalled.
  private struct Row {
    var setup: String
    var answered: [State]
    init(_ setup: String, _ answered: [State] = []) {
      self.setup = setup
      self.answered = answered
    }
  }

  private func host(in state: State) -> ScriptedUSB {
    var host = ScriptedUSB()
    host.usb.controller.events = [.reset]
    host.poll()
    if state != .unaddressed { _ = host.control("00 05 2A00 0000 0000") }
    if state == .configured { host.configure() }
    return host
  }

  private let rows: [Row] = [
    // Clear Feature and Set Feature: Endpoint Halt of an endpoint there is; of the control endpoint only the
    // first.
    Row("02 01 0000 0000 0000", State.allCases), Row("02 01 0000 8000 0000", State.allCases),
    Row("02 03 0000 0000 0000"), Row("02 03 0000 8000 0000"),
    Row("02 01 0000 0100 0000", [.configured]), Row("02 01 0000 8100 0000", [.configured]),
    Row("02 01 0000 0200 0000", [.configured]), Row("02 01 0000 8200 0000", [.configured]),
    Row("02 01 0000 8300 0000", [.configured]), Row("02 01 0000 0300 0000"), Row("02 01 0000 8400 0000"),
    Row("02 03 0000 0100 0000", [.configured]), Row("02 03 0000 8300 0000", [.configured]),
    Row("02 03 0000 8100 0100"), Row("02 03 0100 8100 0000"), Row("02 01 0000 8101 0000"),
    // Features of devices and interfaces: there are none. Remote wake-up, test mode.
    Row("00 01 0100 0000 0000"), Row("00 03 0100 0000 0000"), Row("00 03 0200 0001 0000"),
    Row("01 01 0000 0000 0000"), Row("01 03 0000 0000 0000"),
    // Get Configuration.
    Row("80 08 0000 0000 0100", State.allCases), Row("80 08 0100 0000 0100"), Row("80 08 0000 0100 0100"),
    // Get Descriptor: device, configuration, BOS, strings; no other speed, no such number, and none by itself
    // of interfaces and endpoints.
    Row("80 06 0001 0000 1200", State.allCases), Row("80 06 0002 0000 0900", State.allCases),
    Row("80 06 000F 0000 0500", State.allCases), Row("80 06 0003 0000 FF00", State.allCases),
    Row("80 06 0503 0904 FF00", State.allCases), Row("80 06 0603 0904 FF00"), Row("80 06 0101 0000 1200"),
    Row("80 06 0102 0000 0900"), Row("80 06 0004 0000 0900"), Row("80 06 0005 0000 0700"),
    Row("80 06 0006 0000 0A00"), Row("80 06 0007 0000 0900"), Row("80 06 0008 0000 0900"),
    Row("80 06 010F 0000 0500"), Row("81 06 0001 0000 1200"),
    // Get Interface.
    Row("81 0A 0000 0000 0100", [.configured]), Row("81 0A 0000 0100 0100", [.configured]),
    Row("81 0A 0000 0200 0100", [.configured]), Row("81 0A 0000 0300 0100"), Row("81 0A 0100 0000 0100"),
    // Get Status.
    Row("80 00 0000 0000 0200", State.allCases), Row("80 00 0100 0000 0200"), Row("80 00 0000 0100 0200"),
    Row("81 00 0000 0000 0200", [.configured]), Row("81 00 0000 0200 0200", [.configured]),
    Row("81 00 0000 0300 0200"),
    Row("82 00 0000 0000 0200", State.allCases), Row("82 00 0000 8000 0200", State.allCases),
    Row("82 00 0000 0100 0200", [.configured]), Row("82 00 0000 8300 0200", [.configured]),
    Row("82 00 0000 0300 0200"), Row("82 00 0000 8500 0200"), Row("82 00 0100 8100 0200"),
    // Set Address: up to 127, and not once there is a configuration.
    Row("00 05 0100 0000 0000", [.unaddressed, .addressed]),
    Row("00 05 7F00 0000 0000", [.unaddressed, .addressed]),
    Row("00 05 8000 0000 0000"), Row("00 05 0100 0100 0000"), Row("00 05 0100 0000 0100"),
    // Set Configuration: 0 and 1.
    Row("00 09 0000 0000 0000", State.allCases), Row("00 09 0100 0000 0000", State.allCases),
    Row("00 09 0200 0000 0000"), Row("00 09 0101 0000 0000"), Row("00 09 0100 0100 0000"),
    // Set Interface: each interface has its setting 0.
    Row("01 0B 0000 0000 0000", [.configured]), Row("01 0B 0000 0100 0000", [.configured]),
    Row("01 0B 0000 0200 0000", [.configured]), Row("01 0B 0000 0300 0000"), Row("01 0B 0100 0000 0000"),
    // Set Descriptor, Synch Frame; numbers that are no request; recipients that are none.
    Row("00 07 0001 0000 1200"), Row("82 0C 0000 8100 0200"), Row("00 02 0000 0000 0000"),
    Row("00 04 0000 0000 0000"), Row("80 0D 0000 0000 0100"), Row("03 01 0000 0000 0000"),
    Row("83 00 0000 0000 0200"),
    // The serial port's own: to its control interface, and nothing that it does not say it can.
    Row("21 20 0000 0100 0700", [.configured]), Row("21 20 0000 0100 0800"), Row("21 20 0000 0000 0700"),
    Row("21 20 0000 0200 0700"), Row("21 20 0100 0100 0700"), Row("A1 21 0000 0100 0700", [.configured]),
    Row("A1 21 0000 0000 0700"), Row("A1 21 0100 0100 0700"), Row("21 22 0300 0100 0000", [.configured]),
    Row("21 22 0300 0100 0100"), Row("21 22 0300 0200 0000"), Row("21 23 0A00 0100 0000"),
    Row("21 00 0000 0100 0100"), Row("A1 01 0000 0100 0100"), Row("21 02 0100 0100 0200"),
    Row("A1 20 0000 0100 0700"), Row("21 21 0000 0100 0700"),
  ]

  @Test("answers every standard request in the states in which it is specified, and stalls in the others")
  func table() {
    for row in rows {
      for state in State.allCases {
        var host = host(in: state)
        let coding = row.setup.hasPrefix("21 20") ? "00C20100000008" : nil
        let isRefused = host.control(row.setup, data: coding) == [.refused]
        #expect(isRefused == !row.answered.contains(state), "\(row.setup) in the state \(state)")
      }
    }
  }

  @Test("a stall is over with the next request")
  func afterStall() {
    for state in State.allCases {
      var host = host(in: state)
      for row in rows where row.answered.isEmpty {
        check(host.control(row.setup) == [.refused], "\(row.setup)")
        check(host.control("80 00 0000 0000 0200") == [.packet(0, [0, 0])], "behind \(row.setup)")
      }
    }
  }
}
