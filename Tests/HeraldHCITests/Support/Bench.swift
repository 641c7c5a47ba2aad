import HeraldBluetooth
import HeraldHAL

@testable import HeraldHCI

/// A radio on a scripted line, with a clock the test turns.
struct Bench: ~Copyable {
  var radio = HCIRadio<ScriptedTransport, 3>(transport: ScriptedTransport())
  var recorder = Recorder()
  var now = Instant(milliseconds: 1000)
  /// What `poll` returned last.
  var deadline = Instant.never

  /// Answers of Bumble 0.0.236's virtual controller, as captured, by opcode.
  static let bumble: [UInt16: String] = [
    0x0C03: "040e0401030c00",
    0x1001: "040e0c0101100009000009ffff0000",
    0x1002:
      "040e44010210002000800300c000000000e4000000a822000000000000040000f7ffff7f00000030f0f9ff01008004002000000000000000000000000000000000000000000000",
    0x1003: "040e0c010310000000000060000080",
    0x0C01: "040e0401010c00",
    0x0C6D: "040e04016d0c00",
    0x2001: "040e0401012000",
    0x2002: "040e07010220001b0040",
    0x1005: "040e0b010510001b000040000000",
    0x2003: "040e0c01032000ff79010000000000",
    0x201C: "040e0c011c2000ffff3fffff030000",
    0x1009: "040e0a01091000000000000000",
    0x2024: "040e0401242000",
  ]

  /// Lets bytes arrive and polls once.
  mutating func arrive(_ text: String) {
    radio.transport.incoming += bytes(text)
    poll()
  }

  mutating func poll() {
    deadline = radio.poll(at: now, into: &recorder)
  }

  mutating func wait(_ milliseconds: UInt32) {
    now = now + .milliseconds(milliseconds)
    poll()
  }

  mutating func advertise(_ parameters: AdvertisingParameters, _ data: [UInt8], _ response: [UInt8]) throws {
    try radio.startAdvertising(parameters, data: data.span, scanResponse: response.span)
  }

  mutating func send(_ pdu: [UInt8], on connection: Int = 0) throws(RadioError) {
    try radio.send(pdu.span, on: ConnectionID(index: connection))
  }

  /// How the radio refuses a PDU; `nil` if it does not.
  mutating func sendRefusal(_ pdu: [UInt8], on connection: Int) -> RadioError? {
    refusal { radio throws(RadioError) in try radio.send(pdu.span, on: ConnectionID(index: connection)) }
  }

  /// How the radio refuses what is asked of it; `nil` if it does not.
  mutating func refusal(
    _ work: (inout HCIRadio<ScriptedTransport, 3>) throws(RadioError) -> Void
  ) -> RadioError? {
    do {
      try work(&radio)
      return nil
    } catch {
      return error
    }
  }

  /// What was written since the last time, as hexadecimal.
  mutating func sent() -> [String] {
    defer { radio.transport.written = [] }
    return radio.transport.written.map(hex)
  }

  mutating func events() -> [Recorder.Event] {
    defer { recorder.events = [] }
    return recorder.events
  }

  /// Answers every command as `answers` say, and those they do not know with success, until no more come.
  /// Returns the commands.
  mutating func answerAll(_ answers: [UInt16: String] = Bench.bumble) -> [String] {
    var all: [String] = []
    while true {
      poll()
      let commands = radio.transport.written.filter { $0[0] == 1 }
      radio.transport.written.removeAll { $0[0] == 1 }
      guard !commands.isEmpty else { return all }
      for command in commands {
        all.append(hex(command))
        let opcode = UInt16(command[1]) | UInt16(command[2]) << 8
        let plain = "040e0401" + hex([command[1], command[2]]) + "00"
        // Disconnect, Create Connection, Connection Update and the extended Create Connection answer with a
        // status.
        let status = "040f040001" + hex([command[1], command[2]])
        let isStatus = [0x0406, 0x200D, 0x2013, 0x2043].contains(opcode)
        radio.transport.incoming += bytes(answers[opcode] ?? (isStatus ? status : plain))
      }
    }
  }

  /// A bench whose radio is ready, nothing recorded. `buffers` replaces the answer to LE Read Buffer Size.
  static func ready(buffers: String = "040e07010220001b0040", states: String? = nil) -> Bench {
    var bench = Bench()
    var answers = bumble
    answers[0x2002] = buffers
    if let states { answers[0x201C] = states }
    _ = bench.answerAll(answers)
    _ = bench.events()
    _ = bench.sent()
    return bench
  }

  /// One open connection with handle 0x0001: a peer connected to us, or we to it.
  static func connected(
    as role: ConnectionRole = .peripheral, buffers: String = "040e07010220001b0040"
  ) throws -> Bench {
    var bench = ready(buffers: buffers)
    try bench.connect(as: role, handle: "0100")
    return bench
  }

  /// Opens one more connection.
  mutating func connect(as role: ConnectionRole, handle: String) throws {
    if role == .central {
      try radio.connect(to: random("c1:02:03:04:05:06"), ConnectionParameters(ownAddress: .zero))
      _ = answerAll()
    }
    arrive(
      "043e1301 00 \(handle) \(role == .central ? "00" : "01") 01 0605040302c1 1800 0000 9001 00")
    _ = answerAll()
    _ = events()
    _ = sent()
  }
}
