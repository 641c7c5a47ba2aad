import HeraldDeviceLink
import HeraldEmbedded
import HostileInputs
import TestInputs
import Testing

@testable import HeraldHostLink

@Suite("SMP client")
struct SMPClientTests {
  let brief = SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 3)

  @Test("A log read is these bytes")
  func literalRequest() {
    let request = DeviceClient.logStream(sequence: 5, offset: 256, length: 100)
    #expect(
      request.packet(sequence: 7) == [
        // Version 2, read; 19 bytes; group 72; sequence 7; command 8.
        0x08, 0x00, 0x00, 0x13, 0x00, 0x48, 0x07, 0x08,
        0xA3, 0x63, 0x73, 0x65, 0x71, 0x05,  // "seq": 5
        0x63, 0x6F, 0x66, 0x66, 0x19, 0x01, 0x00,  // "off": 256
        0x63, 0x6C, 0x65, 0x6E, 0x18, 0x64,  // "len": 100
      ])
  }

  @Test("A response in literal bytes is understood")
  func literalAnswer() throws {
    let transport = DirectTransport { packet in
      [
        [0x09, 0, 0, 0x2B, 0, 0x48, packet[6], 0]
          + [
            0xA7, 0x65, 0x65, 0x70, 0x6F, 0x63, 0x68, 0x01, 0x65, 0x66, 0x69, 0x72, 0x73, 0x74, 0x02,
            0x64, 0x6C, 0x61, 0x73, 0x74, 0x04, 0x64, 0x6F, 0x70, 0x65, 0x6E, 0x10, 0x64, 0x70, 0x61, 0x67,
            0x65, 0x18,
            0x80, 0x64, 0x62, 0x6F, 0x6F, 0x74, 0x09, 0x63, 0x6E, 0x6F, 0x77, 0x0A,
          ].prefix(0x2B)
      ]
    }
    let client = DeviceClient(SMPClient(transport: transport, timeouts: brief))
    // Cut to 43 bytes the map lacks its last value: refused as a whole.
    #expect(throws: HostLinkError.self) { try client.logStatus() }
  }

  @Test("Status in literal bytes")
  func literalStatus() throws {
    let body: [UInt8] = [
      0xA7, 0x65, 0x65, 0x70, 0x6F, 0x63, 0x68, 0x01, 0x65, 0x66, 0x69, 0x72, 0x73, 0x74, 0x02, 0x64, 0x6C,
      0x61,
      0x73, 0x74, 0x04, 0x64, 0x6F, 0x70, 0x65, 0x6E, 0x10, 0x64, 0x70, 0x61, 0x67, 0x65, 0x18, 0x80, 0x64,
      0x62,
      0x6F, 0x6F, 0x74, 0x09, 0x63, 0x6E, 0x6F, 0x77, 0x0A,
    ]
    let transport = DirectTransport { [[0x09, 0, 0, UInt8(body.count), 0, 0x48, $0[6], 0] + body] }
    let status = try DeviceClient(SMPClient(transport: transport, timeouts: brief)).logStatus()
    #expect(status.epoch == 1 && status.first == 2 && status.last == 4 && status.openBytes == 16)
    #expect(status.pageSize == 128 && status.boot == 9 && status.uptimeMilliseconds == 10)
    #expect(status.unixMilliseconds == nil && status.pageCount == 3)
  }

  @Test("Status with numbers that contradict each other is refused")
  func senselessStatus() {
    func status(_ values: [String: UInt64]) -> DeviceLogStatus? {
      var fields: [String: UInt64] = [
        "epoch": 1, "first": 1, "last": 3, "open": 4, "page": 4096, "boot": 1, "now": 1,
      ]
      fields.merge(values) { $1 }
      return DeviceLogStatus(.map(fields.map { CBORValue.Entry(key: $0.key, value: .unsigned($0.value)) }))
    }
    #expect(status([:]) != nil)
    #expect(status(["first": 4]) != nil)  // empty
    // A debug port that is neither open nor closed.
    #expect(status([:])?.debugPort == .unknown && status(["port": 1])?.debugPort == .unknown)
    for bad in [
      ["open": 5000], ["page": 0], ["page": 1 << 30], ["last": 1 << 31], ["epoch": 1 << 32], ["boot": .max],
    ] as [[String: UInt64]] {
      #expect(status(bad) == nil)
    }
  }

  @Test("Errors of both versions say what happened and what to do")
  func errors() {
    func failure(_ body: [UInt8]) -> ManagementFailure? {
      if case .failure(let failure) = SMPClient.result(of: body.span) { failure } else { nil }
    }
    let version1: [UInt8] = [0xA1, 0x62, 0x72, 0x63, 0x08]
    let version2: [UInt8] = [
      0xA1, 0x63, 0x65, 0x72, 0x72, 0xA2, 0x65, 0x67, 0x72, 0x6F, 0x75, 0x70, 0x18, 0x48, 0x62, 0x72, 0x63,
      0x02,
    ]
    #expect(failure(version1) == .refused(group: nil, code: 8))
    #expect(failure(version2) == .refused(group: 72, code: 2))
    #expect(failure([0xA1, 0x62, 0x72, 0x63, 0x00]) == nil)
    #expect(failure([]) == nil)
    #expect(failure([0xA1, 0x62]) != nil)
    let request = DeviceClient.logStream(sequence: 5, offset: 0, length: nil)
    let error = failure(version2)?.error(request, at: "usb:1-2")
    #expect(error?.what == "usb:1-2 refused page 5 of the log: it does not keep that page any more")
    #expect(ManagementFailure.noAnswer(attempts: 4).error(request, at: "x").cause == .noAnswer)
  }

  @Test("A request that changes nothing is asked again, another is not")
  func retries() throws {
    let transport = DirectTransport { _ in [] }
    let client = SMPClient(transport: transport, timeouts: brief)
    #expect(throws: HostLinkError.self) { try DeviceClient(client).logStatus() }
    #expect(transport.sent.count == 3)
    #expect(Set(transport.sent.map { $0[6] }).count == 3)
    #expect(throws: HostLinkError.self) {
      try DeviceClient(client).setClock(unixMilliseconds: 1_669_760_516_552)
    }
    #expect(transport.sent.count == 4)
    #expect(String(decoding: transport.sent[3].suffix(23), as: UTF8.self) == "2022-11-29T22:21:56.552")
  }

  @Test("A request does not take the sequence number of one that is still to be answered")
  func sequences() throws {
    var asked = 0
    let transport = DirectTransport { packet in
      asked += 1
      return asked == 1 ? [] : [[0x09, 0, 0, 1, packet[4], packet[5], packet[6], packet[7], 0xA0]]
    }
    let client = SMPClient(transport: transport, timeouts: .init(timeout: .seconds(600), attempts: 1))
    let request = ManagementRequest("x", .read, .os, 1)
    _ = try client.submit(request)
    for _ in 0..<257 {
      let ticket = try client.submit(request)
      let answer = try client.next()
      try #require(answer?.0 == ticket)
    }
    #expect(client.inFlight == 1 && client.unexpectedPackets == 0)
    #expect(transport.sent.map { $0[6] } == Array(0...255) + [1, 2])
  }

  @Test("An acknowledgement is these bytes, with the page's SHA-256, and is asked again: twice does no harm")
  func acknowledge() throws {
    var asked = 0
    let transport = DirectTransport { packet in
      asked += 1
      // {"first": 3, "to": 7}
      let taken = hexBytes("A2 65 6669727374 03 62 746F 07")
      // {"err": {"group": 72, "rc": 13}}
      let other = hexBytes("A1 63 657272 A2 65 67726F7570 1848 62 7263 0D")
      let body = asked == 4 ? other : taken
      return asked == 1 ? [] : [[0x0B, 0, 0, UInt8(body.count), 0, 0x48, packet[6], 4] + body]
    }
    let client = DeviceClient(SMPClient(transport: transport, timeouts: brief))
    let abc: [UInt8] = [0x61, 0x62, 0x63]
    #expect(try client.acknowledge(epoch: 0xCAFE_F00D, sequence: 7, bytes: abc) == .taken)
    #expect(transport.sent.count == 2)
    // The digest of "abc" is that of FIPS 180-4.
    // {"epoch": 0xCAFEF00D, "seq": 7, "digest": 32 bytes}
    let request = "0A00003A 0048 0004 A3 65 65706F6368 1A CAFEF00D 63 736571 07 66 646967657374 5820"
    let digest = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"
    #expect(transport.sent[0] == hexBytes(request + digest))
    // A response about another page is none.
    #expect(throws: HostLinkError.self) {
      try client.acknowledge(epoch: 0xCAFE_F00D, sequence: 8, bytes: abc)
    }
    #expect(try client.acknowledge(epoch: 0xCAFE_F00D, sequence: 7, bytes: abc) == .differs)
  }

  @Test("A pull asks for the status of the log by writing, which commits the log; status alone reads")
  func statusRequests() throws {
    let transport = DirectTransport { _ in [] }
    let client = DeviceClient(SMPClient(transport: transport, timeouts: brief))
    #expect(throws: HostLinkError.self) { try client.logStatus() }
    #expect(throws: HostLinkError.self) { try client.logStatus(commits: true) }
    #expect(transport.sent.map { $0[0] } == [0x08, 0x08, 0x08, 0x0A, 0x0A, 0x0A])
    #expect(transport.sent.allSatisfy { $0.suffix(1) == [0xA0] && $0[5] == 0x48 && $0[7] == 0 })
  }

  @Test("An error names the subject of the request")
  func subjects() {
    func words(_ subject: String, _ failure: ManagementFailure) -> String {
      failure.error(ManagementRequest(subject, .read, .os, 0), at: "it").what
    }
    #expect(
      words("its images", .noAnswer(attempts: 4))
        == "it did not answer when asked for its images after 4 attempts")
    #expect(
      words("to set its clock", .noAnswer(attempts: 1)) == "it did not answer when asked to set its clock")
    #expect(
      words("whether it is locked", .sessionOver) == "it ended the session when asked whether it is locked")
    #expect(
      words("to tell its log", .malformed("nonsense"))
        == "it answered, when asked to tell its log, with nonsense")
  }

  @Test("A refusal is reported in the words of what was refused")
  func refusals() {
    func words(_ group: SMPGroup, _ failure: ManagementFailure) -> String {
      failure.error(ManagementRequest("x", .write, group, 0), at: "it").what
    }
    let invalid = ManagementFailure.refused(group: nil, code: 3)
    #expect(words(.settings, invalid).hasSuffix("the number is out of range, or has another size"))
    #expect(words(.file, invalid).contains("no payload"))
    #expect(words(.os, invalid).hasSuffix("it does not understand the request (rc 3)"))
    #expect(words(.herald, .refused(group: 72, code: 13)).contains("another than the one that is here"))
    #expect(words(.os, .refused(group: 0, code: 5)).hasSuffix("its clock does not take this date"))
    #expect(words(.os, .refused(group: 9, code: 200)).hasSuffix("error 200 of group 9"))
    #expect(words(.os, .refused(group: nil, code: 99)).hasSuffix("error 99"))
  }

  @Test("Live events are decoded; unknown kinds are skipped")
  func live() throws {
    let event: [UInt8] = [0x85, 0x18, 0x2A, 2, 0x47, 1, 0xC1, 2, 3, 4, 5, 6, 0x38, 0x45, 0]
    let body: [UInt8] =
      [0xA2, 0x64] + Array("lost".utf8) + [5, 0x66] + Array("events".utf8) + [0x83] + event
      + [0x85, 0, 0x18, 99, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [0x81, 0]
    let transport = DirectTransport { [[0x09, 0, 0, UInt8(body.count), 0, 0x48, $0[6], 6] + body] }
    let live = try DeviceClient(SMPClient(transport: transport, timeouts: brief)).live()
    #expect(transport.sent[0] == [0x08, 0, 0, 1, 0, 0x48, 0, 6, 0xA0])
    #expect(live.lost == 5 && live.events.count == 1)
    #expect(live.events.first?.ageMilliseconds == 42 && live.events.first?.kind == .measured)
    #expect(
      live.events.first?.target == TargetIdentity(kind: .randomAddress, high: 0xC102, low: 0x0304_0506))
    #expect(live.events.first?.level == -70 && live.events.first?.count == 0)
  }

  @Test("A late response to the first attempt counts")
  func lateAnswer() throws {
    var first: [UInt8]?
    let transport = DirectTransport { packet in
      guard let early = first else {
        first = packet
        return []
      }
      return [[0x09, 0, 0, 1, 0, 0x48, early[6], 8, 0xA0]]
    }
    let client = SMPClient(transport: transport, timeouts: brief)
    _ = try client.ask(DeviceClient.logStream(sequence: 1, offset: 0, length: nil))
    #expect(client.repeats == 1 && client.unexpectedPackets == 0)
  }

  @Test("Responses of other groups, commands, operations and sequences are skipped")
  func unexpected() throws {
    let transport = DirectTransport { packet in
      let sequence = packet[6]
      return [
        [], [1, 2, 3], [0x09, 0, 0, 1, 0, 0x47, sequence, 0, 0xA0],
        [0x09, 0, 0, 1, 0, 0x48, sequence, 9, 0xA0],
        [0x0B, 0, 0, 1, 0, 0x48, sequence, 0, 0xA0], [0x09, 0, 0, 1, 0, 0x48, sequence &+ 1, 0, 0xA0],
        [0x09, 0, 0, 2, 0, 0x48, sequence, 0, 0xA0], [0x09, 0, 0, 1, 0, 0x48, sequence, 0, 0xA0],
      ]
    }
    let client = SMPClient(transport: transport, timeouts: brief)
    _ = try client.ask(ManagementRequest("x", .read, .herald, 0))
    #expect(client.unexpectedPackets == 7)
  }

  @Test("Any bytes as a response are survived")
  func fuzz() throws {
    var random = Mutations(seed: 0x5348)
    let seeds: [[UInt8]] = [
      [
        0xA1, 0x63, 0x65, 0x72, 0x72, 0xA2, 0x65, 0x67, 0x72, 0x6F, 0x75, 0x70, 0x18, 0x48, 0x62, 0x72, 0x63,
        0x02,
      ],
      [
        0xA4, 0x63, 0x73, 0x65, 0x71, 0x01, 0x63, 0x6F, 0x66, 0x66, 0x00, 0x63, 0x6C, 0x65, 0x6E, 0x02, 0x64,
        0x64, 0x61, 0x74, 0x61, 0x42, 1, 2,
      ],
      [0x9F, 0xBF, 0x61, 0x61, 0xFF, 0xFF], [],
    ]
    for _ in 0..<100_000 {
      let body = random.mutated(seeds)
      if case .success(let value) = SMPClient.result(of: body.span) {
        _ = DeviceLogStatus(value)
        _ = DeviceParameters(value)
        _ = DeviceLive.Event(value)
      }
    }
  }
}
