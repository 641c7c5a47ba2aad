import HeraldBluetooth
import HeraldHAL
import HeraldLinux

/// A controller on a simulated phy under the control of EDTT (Embedded Device Test Tool), a program of
/// conformance tests that is a device of the same phy.
///
/// EDTT sends requests and reads responses over two FIFOs: frames of code, length of the payload (16 bits
/// each, little-endian) and payload; the code of a response is that of its request plus 1. Events and data
/// are queued here until they are requested.
final class EDTTProgram: PhyProgram {
  /// The codes of requests that are not HCI commands.
  private enum Request {
    static let echo: UInt16 = 1
    static let setAddress: UInt16 = 193
    static let forgetEvents: UInt16 = 195
    static let countEvents: UInt16 = 197
    static let getEvent: UInt16 = 199
    static let forgetData: UInt16 = 201
    static let hasData: UInt16 = 203
    static let send: UInt16 = 205
    static let getData: UInt16 = 207
  }

  /// A packet of the controller, without its type, and the low 32 bits of its time in microseconds.
  private struct Queued {
    let time: UInt32
    let packet: [UInt8]

    var bytes: [UInt8] { bytesOf(time) + packet }
  }

  /// The number of data packets that the controller holds.
  private static let dataPackets = 2

  private let controller: RunningController
  private let fifos: EDTTFIFOs
  private let device: PhyDevice
  private var input: [UInt8] = []
  private var events: [Queued] = []
  private var data: [Queued] = []
  /// Data that the controller has no room for yet, and the number of packets that it has.
  private var unsent: [[UInt8]] = []
  private var outstanding = 0
  /// The request that has not been answered yet.
  private var pending: (code: UInt16, payload: [UInt8])?

  init(_ controller: RunningController, _ fifos: consuming EDTTFIFOs, _ device: PhyDevice) {
    self.controller = controller
    self.fifos = fifos
    self.device = device
  }

  func radioInterrupt() -> Bool { controller.radioInterrupt() }
  func procedures() { controller.procedures() }

  func pollHost() -> Bool {
    take(controller.exchange())
    guard let received = fifos.read() else { return false }
    input += received
    while answerPending(), let (code, payload) = nextRequest() { begin(code, payload) }
    return true
  }

  /// Removes and returns the next complete request.
  private func nextRequest() -> (UInt16, [UInt8])? {
    guard input.count >= 4 else { return nil }
    let code = UInt16(input[0]) | UInt16(input[1]) << 8
    let end = 4 + Int(input[2]) + Int(input[3]) << 8
    guard input.count >= end else { return nil }
    defer { input.removeFirst(end) }
    return (code, Array(input[4..<end]))
  }

  private func begin(_ code: UInt16, _ payload: [UInt8]) {
    pending = (code, payload)
    switch code {
    case Request.echo, Request.forgetEvents, Request.countEvents, Request.getEvent, Request.forgetData,
      Request.hasData, Request.getData:
      break
    case Request.setAddress:
      if payload.count == 8, let address = DeviceAddress(onAir: Array(payload[2...]).span, kind: .public) {
        controller.address = address
      }
      queueEvent([0x0E, 4, 1, 0x06, 0xFC, 0])
    case Request.send:
      unsent.append(payload)
      sendData()
    default:
      guard payload.count >= 2 else { return }
      take(controller.exchange([1, payload[0], payload[1], UInt8(payload.count - 2)] + payload[2...]))
    }
  }

  /// Answers the pending request, if there is one. Returns `false` if it cannot be answered yet.
  private func answerPending() -> Bool {
    guard let (code, payload) = pending else { return true }
    var result: [UInt8] = []
    switch code {
    case Request.echo: result = payload
    case Request.forgetEvents: events = []
    case Request.countEvents: result = [UInt8(clamping: events.count)]
    case Request.getEvent:
      guard !events.isEmpty else { return false }
      if payload.first == 1 {
        sendAllEvents()
        return true
      }
      result = events.removeFirst().bytes
    case Request.forgetData: data = []
    case Request.hasData: result = [data.isEmpty ? 1 : 0]
    case Request.getData:
      guard !data.isEmpty else { return false }
      result = data.removeFirst().bytes
    case Request.setAddress, Request.send: result = [0]
    default:
      // `take` answers commands.
      return false
    }
    respond(code, result)
    return true
  }

  private func respond(_ code: UInt16, _ payload: [UInt8]) {
    pending = nil
    fifos.write(bytesOf(code + 1) + bytesOf(UInt16(payload.count)) + payload)
  }

  /// The response to a request of all events has another form.
  private func sendAllEvents() {
    let sent = events.prefix(255)
    var bytes = bytesOf(Request.getEvent + 1) + [UInt8(sent.count)]
    for event in sent { bytes += bytesOf(UInt16(event.bytes.count)) + event.bytes }
    events.removeFirst(sent.count)
    pending = nil
    fifos.write(bytes)
  }

  /// Queues packets of the controller, and answers a command with its Command Complete or Command Status.
  private func take(_ packets: [[UInt8]]) {
    for packet in packets {
      guard packet[0] == 4 else {
        data.append(Queued(time: now, packet: Array(packet[1...])))
        continue
      }
      if packet[1] == 0x0E, isPending(packet[4], packet[5]), let pending {
        respond(pending.code, Array(packet[6...]))
      } else if packet[1] == 0x0F, isPending(packet[5], packet[6]), let pending {
        respond(pending.code, [packet[3]])
      }
      if packet[1] == 0x13 { outstanding -= Int(packet[6]) }
      // The connection's data is discarded with it.
      if packet[1] == 0x05 { outstanding = 0 }
      queueEvent(Array(packet[1...]))
    }
    sendData()
  }

  /// Whether the pending request is the command with this opcode.
  private func isPending(_ low: UInt8, _ high: UInt8) -> Bool {
    pending?.payload.prefix(2) == [low, high]
  }

  private func sendData() {
    while outstanding < Self.dataPackets, !unsent.isEmpty {
      outstanding += 1
      take(controller.exchange([2] + unsent.removeFirst()))
    }
  }

  private func queueEvent(_ event: [UInt8]) { events.append(Queued(time: now, packet: event)) }

  private var now: UInt32 { UInt32(truncatingIfNeeded: device.time) }
}

/// The bytes of a number, little-endian.
private func bytesOf<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
  withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
