import HeraldBluetooth
import HeraldSimulation
import Testing

/// How a peer breaks off in the middle of an exchange, at one answer of all it gives.
enum Interruption: CaseIterable {
  /// It goes instead of answering.
  case leaves
  /// It does not answer, and the connection stays.
  case fallsSilent
  /// It answers, and goes.
  case answersAndLeaves
  /// It gives the same answer twice.
  case answersTwice
  /// It has forgotten what it showed.
  case refuses
  /// Its answer is one byte of nothing.
  case babbles
}

/// A phone's GATT server over the smallest ATT_MTU, so that all it has takes several requests: a payload of
/// 50 bytes, a model, and one of the two signal characteristics.
struct ReluctantPhone {
  static let payload = (0..<50).map { UInt8($0 + 1) }
  let hasCompliantSignal: Bool
  /// At which answer of all it breaks off, and how.
  let at: Int
  let how: Interruption
  private(set) var answered = 0
  /// The immediate messages that have arrived whole, and the bytes of the one that is arriving.
  private(set) var messages: [[UInt8]] = []
  private var arriving: [UInt8] = []
  /// How many answers came before it was asked for its model.
  private(set) var answeredBeforeModel: Int?

  init(hasCompliantSignal: Bool, at: Int, how: Interruption) {
    self.hasCompliantSignal = hasCompliantSignal
    self.at = at
    self.how = how
  }

  /// What the peer does about a request: the PDUs it sends, and whether it goes afterwards.
  mutating func take(_ request: [UInt8]) -> (answers: [[UInt8]], goes: Bool) {
    defer { answered += 1 }
    guard answered == at else { return ([answer(request)], false) }
    switch how {
    case .leaves: return ([], true)
    case .fallsSilent: return ([], false)
    case .answersAndLeaves: return ([answer(request)], true)
    case .answersTwice:
      let once = answer(request)
      return ([once, once], false)
    case .refuses: return ([[0x01, request[0], 0x00, 0x00, 0x0E]], false)
    case .babbles: return ([[0x77]], false)
    }
  }

  /// What has begun to arrive counts for nothing once the connection is gone.
  mutating func disconnected() { arriving = [] }

  private mutating func answer(_ request: [UInt8]) -> [UInt8] {
    switch (request[0], request.dropFirst().prefix(2).first ?? 0) {
    case (0x02, _): return hex("03 17 00")
    case (0x06, _) where request.suffix(2) == [0xF6, 0xFC]: return hex("07 10 00 14 00")
    case (0x06, _) where request.suffix(2) == [0x0A, 0x18]:
      answeredBeforeModel = answered
      return hex("07 20 00 22 00")
    case (0x08, 0x10), (0x08, 0x11):
      return hex("09 15 11 00 \(hasCompliantSignal ? "08" : "18") 12 00 ")
        + hex(hasCompliantSignal ? Peer.signalUUID : Peer.otherSignalUUID)
    case (0x08, 0x12), (0x08, 0x13): return hex("09 15 13 00 02 14 00 \(Peer.payloadUUID)")
    case (0x08, 0x20), (0x08, 0x21): return hex("09 07 21 00 02 22 00 24 2A")
    case (0x0A, 0x14): return [0x0B] + Self.payload.prefix(22)
    case (0x0C, 0x14): return [0x0D] + Self.payload.dropFirst(Int(request[3])).prefix(22)
    case (0x0A, 0x22): return hex("0B 41 33 30")
    case (0x12, 0x12):
      arriving += request.dropFirst(3)
      if arriving.count >= 3, arriving.count == 3 + Int(arriving[1]) { finish() }
      return [0x13]
    case (0x16, 0x12):
      arriving += request.dropFirst(5)
      return [0x17] + request.dropFirst()
    case (0x18, 1):
      finish()
      return [0x19]
    case (0x18, _):
      arriving = []
      return [0x19]
    default: return [0x01, request[0], request.count > 1 ? request[1] : 0, 0, 0x0A]
    }
  }

  private mutating func finish() {
    // An iPhone gets our payload and the strength we hear, too, and every time it is met.
    if arriving.first == 0x04 { messages.append(arriving) }
    arriving = []
  }
}

/// What a peer owes us and is owed is done in the end, whatever it broke off and however.
@Suite("Coordinator: exchanges interrupted at every step")
struct InterruptedExchangeTests {
  static let message = [UInt8](repeating: 0xAB, count: 40)
  static let written = [0x04, 40, 0] + message

  /// Meets the phone until all is done or two minutes have passed.
  private func meet(_ phone: inout ReluctantPhone) -> Scenario {
    let scenario = Scenario { $0.readsModel = true }
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.send(Self.message, to: Peer.androidIdentity) == nil)
    for _ in 0..<120 {
      serve(scenario, &phone)
      scenario.run(seconds: 1)
      scenario.hear(Peer.android, Peer.androidAdvert)
    }
    return scenario
  }

  /// Lets the phone take every connection and answer every request of this moment.
  private func serve(_ scenario: Scenario, _ phone: inout ReluctantPhone) {
    let connection = ConnectionID(index: 0)
    var isConnected = scenario.node.radio.open.contains(connection)
    for _ in 0..<100 {
      let commands = scenario.commands()
      if commands.isEmpty { return }
      for command in commands {
        switch command {
        case .connect:
          isConnected = true
          scenario.happen(.opened(connection, .central, peer: Peer.android))
        case .disconnect:
          isConnected = false
          phone.disconnected()
        case .send(let request, _) where isConnected:
          let (answers, goes) = phone.take(request)
          for answer in answers { scenario.happen(.pdu(answer, on: connection)) }
          if goes, scenario.node.radio.open.contains(connection) {
            isConnected = false
            phone.disconnected()
            scenario.happen(.closed(connection, .remoteUserTerminated))
          }
        default: break
        }
      }
    }
    Issue.record("the device wants something for ever")
  }

  @Test(
    "HP-02 A phone that breaks off at any answer, in any way, is read later and gets its message",
    arguments: Interruption.allCases, [true, false])
  func everyStep(how: Interruption, hasCompliantSignal: Bool) {
    var whole = ReluctantPhone(hasCompliantSignal: hasCompliantSignal, at: .max, how: how)
    _ = meet(&whole)
    // MTU, service, two characteristics, three pieces of payload, three requests for the model, the message
    // in three.
    #expect(whole.answered >= 13)
    #expect(whole.messages == [Self.written])
    for step in 0..<whole.answered {
      var phone = ReluctantPhone(hasCompliantSignal: hasCompliantSignal, at: step, how: how)
      let scenario = meet(&phone)
      #expect(phone.answered > step)
      #expect(scenario.count(.reads) == 1, "step \(step)")
      // A message that the peer refuses is lost, and known to be.
      #expect(scenario.count(.messagesSent) + scenario.count(.messagesLost) == 1, "step \(step)")
      #expect(scenario.count(.messagesLost) == 0 || how == .refuses, "step \(step)")
      #expect(scenario.count(.messagesLost) == 1 || phone.messages.first == Self.written, "step \(step)")
      // A second answer passes for that to the next request: what is read and written then is the peer's own
      // muddle.
      if how != .answersTwice {
        // The model is asked for once, whatever comes of it.
        let models = scenario.log().filter { $0.contains("model android 41 33 30") }.count
        #expect(step + 1 < (whole.answeredBeforeModel ?? 0) ? models == 1 : models <= 1, "step \(step)")
        #expect(
          scenario.heard().contains(.read(Peer.androidIdentity, ReluctantPhone.payload, known: false)),
          "step \(step)")
        #expect(phone.messages.count <= 1, "step \(step)")
      }
      // It is still the one it was, and every advertisement of it was counted.
      #expect(scenario.log().filter { $0.hasSuffix("detect android") }.count == 1, "step \(step)")
      #expect(scenario.count(.readings) == 121, "step \(step)")
      #expect(scenario.node.radio.scanning != nil && scenario.violations.isEmpty, "step \(step)")
    }
  }
}
