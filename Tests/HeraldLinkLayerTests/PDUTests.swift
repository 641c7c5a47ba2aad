import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import TestInputs
import Testing

/// The bytes that `write` appends to an empty buffer of 64 bytes.
func written(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
  var storage = [UInt8](repeating: 0xEE, count: 64)
  var count = 0
  do {
    var writer = ByteWriter(storage.mutableSpan)
    write(&writer)
    count = writer.overflowed ? -1 : writer.count
  }
  return count < 0 ? [] : Array(storage[..<count])
}

// A span is not escapable, which the testing macros require of their operands.
func connectRequest(_ pdu: [UInt8]) -> ConnectRequest? { ConnectRequest(of: pdu.span) }
func advertisingHeader(_ pdu: [UInt8]) -> AdvertisingHeader? { AdvertisingHeader(of: pdu.span) }
func dataHeader(_ pdu: [UInt8]) -> DataHeader? { DataHeader(of: pdu.span) }
func controlPDU(_ payload: [UInt8]) -> ControlPDU? { ControlPDU(payload.span) }

@Suite("PDUs")
struct PDUTests {
  /// Transmitted by Apache NimBLE's controller.
  static let sent = hexBytes(
    "0522efcdab896745bc9a78563412fb91b0c54d6ea4020000180000001900ffffffff1f8b")

  @Test("A CONNECT_IND, field by field")
  func connect() throws {
    let request = try #require(connectRequest(Self.sent))
    #expect(request.initiator == DeviceAddress(high: 0x4567, low: 0x89AB_CDEF, kind: .public))
    #expect(request.advertiser == DeviceAddress(high: 0x1234, low: 0x5678_9ABC, kind: .public))
    #expect(request.accessAddress.rawValue == 0xC5B0_91FB && request.crcInit == 0xA46E4D)
    #expect(
      request.times
        == ConnectionTimes(windowSize: 2, windowOffset: 0, interval: 24, latency: 0, timeout: 25))
    #expect(request.channels == .all && request.hop == 11 && request.clockAccuracy.partsPerMillion == 75)
    #expect(request.isValid)
    #expect(written { request.write(to: &$0) } == Self.sent)
  }

  @Test("A CONNECT_IND between random addresses has TxAdd and RxAdd set")
  func connectBetweenRandomAddresses() throws {
    var bytes = Self.sent
    bytes[0] |= 0xC0
    let request = try #require(connectRequest(bytes))
    #expect(request.initiator.kind == .random && request.advertiser.kind == .random)
    #expect(written { request.write(to: &$0) } == bytes)
  }

  @Test(
    "A CONNECT_IND with one invalid field is not valid",
    arguments: [
      (14, [0xD6, 0xBE, 0x89, 0x8E]), (21, [0]), (21, [9]), (22, [25, 0]), (24, [5, 0]), (24, [0x81, 0x0C]),
      (26, [0xF4, 0x01]), (28, [9, 0]), (28, [0x81, 0x0C]), (30, [0, 0, 0, 0, 0]), (30, [1, 0, 0, 0, 0]),
      (30, [0, 0, 0, 0, 0xE1]), (35, [0x84]), (35, [0x91]), (26, [4, 0]),
    ] as [(Int, [UInt8])])
  func nonsense(place: Int, bytes: [UInt8]) throws {
    var request = Self.sent
    request.replaceSubrange(place..<(place + bytes.count), with: bytes)
    #expect(try !#require(connectRequest(request)).isValid)
  }

  @Test(
    "The limits of the timing parameters of a connection are valid",
    arguments: [
      ConnectionTimes(windowSize: 1, windowOffset: 0, interval: 6, latency: 0, timeout: 10),
      ConnectionTimes(windowSize: 8, windowOffset: 3200, interval: 3200, latency: 0, timeout: 3200),
      ConnectionTimes(windowSize: 5, windowOffset: 6, interval: 6, latency: 499, timeout: 751),
      ConnectionTimes(windowSize: 1, windowOffset: 0, interval: 24, latency: 3, timeout: 25),
    ])
  func limits(times: ConnectionTimes) {
    #expect(times.isValid)
  }

  @Test("A PDU with a length that differs from its header, or is invalid for its type, is rejected")
  func lengths() {
    for count in 0..<64 {
      for kind in UInt8(0)...15 {
        for said in [count - 2, 6, 12, 34, 37, 63] where said >= 0 && said < 64 {
          var pdu = [UInt8](repeating: 0, count: count)
          if count > 0 { pdu[0] = kind }
          if count > 1 { pdu[1] = UInt8(said) }
          let isRight =
            count >= 2 && said == count - 2
            && [0: 6...37, 1: 12...12, 2: 6...37, 3: 12...12, 4: 6...37, 5: 34...34, 6: 6...37][kind]?
              .contains(said) == true
          #expect((advertisingHeader(pdu) != nil) == isRight)
          #expect((connectRequest(pdu) != nil) == (isRight && kind == 5))
        }
      }
    }
  }

  @Test("The bits of an advertising header")
  func advertisingHeaderBits() throws {
    let header = try #require(advertisingHeader(hexBytes("c30c000000000000000000000000")))
    #expect(header.kind == .scanRequest && header.sender == .random && header.receiver == .random)
    #expect(header.firstByte == 0xC3)
    // ChSel and the reserved bit are ignored.
    let other = try #require(advertisingHeader(hexBytes("7006000000000000")))
    #expect(other.kind == .connectable && other.sender == .random && other.receiver == .public)
    #expect(other.firstByte == 0x40)
  }

  @Test("The bits of a data header")
  func dataHeaderBits() throws {
    let header = try #require(dataHeader(hexBytes("0b09090500000000000000")))
    #expect(header.content == .control && header.sequence && !header.nextExpected && !header.hasMore)
    #expect(header.length == 9)
    #expect(
      DataHeader(.start, nextExpected: true, sequence: false, hasMore: true, length: 3).firstByte == 0x16)
    #expect(dataHeader([1]) == nil && dataHeader([1, 1]) == nil)
    #expect(dataHeader(([1, 28] + [UInt8](repeating: 0, count: 28))) == nil)
    #expect(dataHeader(([1, 27] + [UInt8](repeating: 0, count: 27)))?.length == 27)
  }

  @Test("Control PDUs transmitted by NimBLE's controller are decoded")
  func controlPDUsAsSent() {
    #expect(controlPDU(hexBytes("080500000000000000")) == .featureRequest)
    #expect(controlPDU(hexBytes("090500000000000000")) == .featureResponse)
    #expect(controlPDU(hexBytes("0213")) == .terminate(reason: 0x13))
    #expect(
      controlPDU(Array(hexBytes("0002000040000000800c12002560").prefix(12)))
        == .connectionUpdate(
          ConnectionTimes(windowSize: 2, windowOffset: 0, interval: 64, latency: 0, timeout: 3200),
          instant: 18))
  }

  @Test("Control PDUs are encoded according to the specification")
  func controlBytes() {
    let times = ConnectionTimes(
      windowSize: 1, windowOffset: 0x203, interval: 0x405, latency: 6, timeout: 0x708)
    #expect(
      written { ControlPDU.connectionUpdate(times, instant: 0x90A).write(to: &$0) }
        == hexBytes("00 01 0302 0504 0600 0807 0a09"))
    #expect(
      written { ControlPDU.channelMap(ChannelMap(low: 0x0403_0201, high: 5), instant: 0x607).write(to: &$0) }
        == hexBytes("01 0102030405 0706"))
    #expect(written { ControlPDU.terminate(reason: 0x16).write(to: &$0) } == [2, 0x16])
    #expect(written { ControlPDU.unknown(opcode: 0x14).write(to: &$0) } == [7, 0x14])
    #expect(written { ControlPDU.featureRequest.write(to: &$0) } == hexBytes("080000000000000000"))
    #expect(written { ControlPDU.featureResponse.write(to: &$0) } == hexBytes("090000000000000000"))
    let version = LinkLayerVersion(number: 6, company: 0xFFFF, subversion: 0x102)
    #expect(written { ControlPDU.version(version).write(to: &$0) } == hexBytes("0c06ffff0201"))
    #expect(written { ControlPDU.reject(reason: 0x1A).write(to: &$0) } == [0x0D, 0x1A])
    #expect(written { ControlPDU.encryption.write(to: &$0) }.isEmpty)
  }

  @Test("A control PDU is decoded only with the valid length of its opcode")
  func everyOpcodeAndLength() {
    let lengths: [UInt8: Int] = [
      0: 12, 1: 8, 2: 2, 3: 23, 7: 2, 8: 9, 9: 9, 0x0C: 6, 0x0D: 2, 0x11: 3,
    ]
    #expect(controlPDU([]) == nil)
    for opcode in UInt8.min...UInt8.max {
      for length in 1...31 {
        let pdu = controlPDU(([opcode] + [UInt8](repeating: 0xA5, count: length - 1)))
        #expect((pdu == .other(opcode: opcode)) == (lengths[opcode] != length))
      }
    }
  }

  @Test("Clock accuracy: from the SCA field to ppm, and from ppm to the field")
  func clockAccuracy() {
    #expect(
      (UInt8(0)...8).map { ClockAccuracy(code: $0).partsPerMillion } == [
        500, 250, 150, 100, 75, 50, 30, 20, 500,
      ])
    #expect(
      [0, 20, 21, 50, 75, 76, 250, 251, 500, 501].map { ClockAccuracy(partsPerMillion: $0).code } == [
        7, 7, 6, 5, 4, 3, 1, 0, 0, 0,
      ])
  }
}
