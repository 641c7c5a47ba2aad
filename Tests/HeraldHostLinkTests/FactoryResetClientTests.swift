import HeraldDeviceLink
import Testing

@testable import HeraldHostLink

@Suite("Factory reset, the host's side")
struct FactoryResetClientTests {
  private let brief = SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 2)
  /// `{"done": 2, "of": 9, "bad": 1}`
  private let body: [UInt8] = [
    0xA3, 0x64, 0x64, 0x6F, 0x6E, 0x65, 0x02, 0x62, 0x6F, 0x66, 0x09, 0x63, 0x62, 0x61, 0x64, 0x01,
  ]

  @Test("Requests the reset of one log and its progress, and decodes the responses, in literal bytes")
  func literal() throws {
    let transport = DirectTransport { [body] packet in
      [[packet[0] + 1, 0, 0, UInt8(body.count), 0, 0x48, packet[6], 3] + body]
    }
    let client = DeviceClient(SMPClient(transport: transport, timeouts: brief))
    let begun = try client.beginFactoryReset(epoch: 0xCAFE_F00D)
    #expect(begun == DeviceResetProgress(done: 2, total: 9, failed: 1) && !begun.isDone)
    #expect(try client.factoryResetProgress() == begun)
    let packets = transport.sent.map { packet in packet.enumerated().map { $0.offset == 6 ? 0 : $0.element } }
    #expect(
      packets == [
        [
          0x0A, 0, 0, 0x0C, 0, 0x48, 0, 3, 0xA1, 0x65, 0x65, 0x70, 0x6F, 0x63, 0x68, 0x1A, 0xCA, 0xFE, 0xF0,
          0x0D,
        ],
        [0x08, 0, 0, 1, 0, 0x48, 0, 3, 0xA0],
      ])
  }

  @Test("Refuses numbers that make no sense, and passes on a refusal")
  func senseless() {
    var wrong = body
    wrong[6] = 0x0A
    let transport = DirectTransport { [wrong] packet in
      [[packet[0] + 1, 0, 0, UInt8(wrong.count), 0, 0x48, packet[6], 3] + wrong]
    }
    let client = DeviceClient(SMPClient(transport: transport, timeouts: brief))
    #expect(throws: HostLinkError.self) { try client.factoryResetProgress() }
    // {"err": {"group": 72, "rc": 5}}
    let refusal: [UInt8] = [
      0xA1, 0x63, 0x65, 0x72, 0x72, 0xA2, 0x65, 0x67, 0x72, 0x6F, 0x75, 0x70, 0x18, 72, 0x62, 0x72, 0x63, 5,
    ]
    let refusing = DirectTransport { packet in
      [[packet[0] + 1, 0, 0, UInt8(refusal.count), 0, 0x48, packet[6], 3] + refusal]
    }
    do throws(HostLinkError) {
      _ = try DeviceClient(SMPClient(transport: refusing, timeouts: brief)).beginFactoryReset(epoch: 1)
      Issue.record("not refused")
    } catch {
      #expect(error.cause == .refused)
    }
  }

  @Test("A refusal for want of the button says what to press")
  func button() {
    // {"err": {"group": 72, "rc": 14}}
    let refusal: [UInt8] = [
      0xA1, 0x63, 0x65, 0x72, 0x72, 0xA2, 0x65, 0x67, 0x72, 0x6F, 0x75, 0x70, 0x18, 72, 0x62, 0x72, 0x63, 14,
    ]
    let refusing = DirectTransport { packet in
      [[packet[0] + 1, 0, 0, UInt8(refusal.count), 0, 0x48, packet[6], 3] + refusal]
    }
    do throws(HostLinkError) {
      _ = try DeviceClient(SMPClient(transport: refusing, timeouts: brief)).beginFactoryReset(epoch: 1)
      Issue.record("not refused")
    } catch {
      #expect(error.cause == .refused)
      #expect(error.advice?.contains("hold its button for 5 s") == true)
      #expect(error.advice?.contains("--key-file") == true)
    }
  }

  @Test("A device that says the same of its progress for ever, or counts to and fro, is waited for 60 s")
  func patience() {
    func isPatient(_ notes: [(done: Int, seconds: Int)]) -> [Bool] {
      var patience = ResetPatience(start: .zero)
      return notes.map {
        patience.note(DeviceResetProgress(done: $0.done, total: 10, failed: 0), at: .seconds($0.seconds))
      }
    }
    #expect(isPatient([(0, 1), (0, 60), (0, 61)]) == [true, true, false])
    #expect(isPatient([(1, 1), (0, 30), (1, 61), (0, 62)]) == [true, true, true, false])
    #expect(isPatient((1...40).map { ($0, $0 * 50) }).firstIndex(of: false) == 36)
  }
}
