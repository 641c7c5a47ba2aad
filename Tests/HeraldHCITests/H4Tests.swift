import HeraldHAL
import Testing

@testable import HeraldHCI

/// Cuts `input`, arriving `chunk` bytes at a time, into packets.
func cut(_ input: [UInt8], chunk: Int, counters: inout HCICounters) -> [String] {
  var receiver = H4Receiver()
  var transport = ScriptedTransport()
  transport.incoming = input
  transport.chunk = chunk
  var found: [String] = []
  while true {
    let count = receiver.fill(from: &transport)
    guard count > 0 else { return found }
    packets: while true {
      switch receiver.next(&counters) {
      case .none: break packets
      case .event(let start, let count):
        found.append("event " + hex((start..<(start + 2 + count)).map { receiver.storage[$0] }))
      case .aclData(let start, let count):
        found.append("acl " + hex((start..<(start + 4 + count)).map { receiver.storage[$0] }))
      case .lostSync: found.append("lost")
      }
    }
  }
}

@Suite("H4 framing")
struct H4Tests {
  func check(_ input: String, _ expected: [String], counts: [HCICounter: UInt32] = [:]) {
    for chunk in [1, 2, 3, 7, 64, 1000] {
      var counters = HCICounters()
      #expect(cut(bytes(input), chunk: chunk, counters: &counters) == expected, "\(chunk) bytes at a time")
      for (counter, value) in counts { #expect(counters[counter] == value) }
    }
  }

  @Test("Packets are cut out of the stream however it arrives")
  func whole() {
    check(
      "040e0401030c00 0201200c000700040010010018ffff0028 04100142",
      ["event 0e0401030c00", "acl 01200c000700040010010018ffff0028", "event 100142"])
  }

  @Test("Synchronous, isochronous and overlong packets are passed over and counted")
  func skipped() {
    let long = String(repeating: "04", count: 300)
    check(
      "0301000304ff04 0501000400 04ff04ff 0201202c01\(long) 04100142", ["event 100142"],
      counts: [.packetsSkipped: 3, .syncLost: 0])
  }

  @Test("The longest packets fit")
  func longest() {
    let event = "ff" + "ff" + String(repeating: "5a", count: 255)
    let data = "0120fb00" + String(repeating: "a5", count: 251)
    check("04\(event)02\(data)04\(event)", ["event \(event)", "acl \(data)", "event \(event)"])
  }

  @Test("After garbage everything up to the answer to HCI_Reset is passed over")
  func resync() {
    check(
      "04100142 00 04100143 0e04 040e040101100c 040e0401030c00 04100144",
      ["event 100142", "lost", "event 0e0401030c00", "event 100144"],
      counts: [.syncLost: 1, .bytesSkipped: 14])
  }

  @Test(
    "A header that no controller sends is garbage",
    arguments: ["040000", "02ff0f0100", "0201c00100", "0201200a08", "01030c00", "05000000ff"])
  func implausible(_ header: String) {
    check(header, ["lost"])
  }

  @Test("The answer to another command whose code begins alike is passed over as well")
  func otherAnswer() {
    check("ff 040e0401030300 040e0401032000 040e0401030c00", ["lost", "event 0e0401030c00"])
  }

  @Test("Lost in the middle of an event, an answer inside the garbage is found")
  func inside() {
    check("ff040e040e0401030c00", ["lost", "event 0e0401030c00"])
  }

  @Test(
    "A transport that gives all there is is not asked once more for nothing, others are",
    arguments: [10, H4Receiver.capacity - 1, H4Receiver.capacity, H4Receiver.capacity + 88])
  func askedAgain(count: Int) {
    final class Asked {
      var times = 0
      var left = 0
    }
    struct One: ControllerTransport {
      let asked: Asked
      mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int {
        asked.times += 1
        let count = min(asked.left, buffer.count)
        asked.left -= count
        for index in 0..<count { buffer[index] = index % 3 == 0 ? 4 : index % 3 == 1 ? 0x10 : 0 }
        return count
      }
      mutating func write(_ packet: Span<UInt8>) -> Bool { true }
    }
    struct All: ControllerTransport {
      static var readsAll: Bool { true }
      var one: One
      mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int { one.read(into: &buffer) }
      mutating func write(_ packet: Span<UInt8>) -> Bool { true }
    }
    func asked<Transport: ControllerTransport & ~Copyable>(_ transport: consuming Transport, _ asked: Asked)
      -> Int
    {
      var radio = HCIRadio<Transport, 1>(transport: transport)
      var recorder = Recorder()
      _ = radio.poll(at: .start, into: &recorder)
      asked.times = 0
      asked.left = count
      _ = radio.poll(at: Instant(milliseconds: 1), into: &recorder)
      #expect(asked.left == 0)
      return asked.times
    }
    let (one, all) = (Asked(), Asked())
    #expect(asked(One(asked: one), one) == (count > H4Receiver.capacity ? 3 : 2))
    #expect(asked(All(one: One(asked: all)), all) == (count < H4Receiver.capacity ? 1 : 2))
  }

  @Test("A transport that claims more than there is room for is not believed")
  func liar() {
    struct Liar: ControllerTransport, ~Copyable {
      mutating func read(into buffer: inout MutableSpan<UInt8>) -> Int { buffer.count + 1000 }
      mutating func write(_ packet: Span<UInt8>) -> Bool { true }
    }
    var receiver = H4Receiver()
    var liar = Liar()
    #expect(receiver.fill(from: &liar) == 260)
    #expect(receiver.fill(from: &liar) == 0)
  }
}
