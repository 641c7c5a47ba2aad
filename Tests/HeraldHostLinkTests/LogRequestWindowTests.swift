import HostileInputs
import Testing

@testable import HeraldHostLink

@Suite("Log request window")
struct LogRequestWindowTests {
  private func status(first: UInt64, last: UInt64, open: UInt64, page: UInt64) throws -> DeviceLogStatus {
    let fields: [(String, UInt64)] = [
      ("epoch", 1), ("first", first), ("last", last), ("open", open), ("page", page), ("boot", 1), ("now", 1),
    ]
    return try #require(
      DeviceLogStatus(.map(fields.map { CBORValue.Entry(key: $0.0, value: .unsigned($0.1)) })))
  }

  @Test("Stretches cross the ends of pages, and a length is named only where there could be too much")
  func stretches() throws {
    var flight = LogRequestWindow(try status(first: 3, last: 6, open: 10, page: 64), room: 100)
    flight.want(3, beginning: [])
    flight.want(4, beginning: [UInt8](repeating: 9, count: 40))
    flight.want(6, beginning: [])
    var asked: [String] = []
    var ticket = 0
    while let request = flight.next() {
      asked.append("\(request.sequence) \(request.offset) \(request.length ?? 0)")
      flight.asked(request.range, SMPClient.RequestHandle(number: ticket))
      ticket += 1
    }
    // 64 bytes of page 3, and page 4 from byte 40 on; page 6 is another stretch.
    #expect(asked == ["3 0 64", "4 40 24", "6 0 10"])
    // Two whole pages are one stretch.
    var pair = LogRequestWindow(try status(first: 1, last: 3, open: 64, page: 64), room: 100)
    for sequence in UInt32(1)...3 { pair.want(sequence, beginning: []) }
    let first = try #require(pair.next())
    #expect(first.sequence == 1 && first.offset == 0 && first.length == nil)
    pair.asked(first.range, SMPClient.RequestHandle(number: 0))
    let second = try #require(pair.next())
    #expect(second.sequence == 2 && second.offset == 36 && second.length == 92)
    #expect(pair.beginnings().isEmpty)
  }

  @Test(
    "1,000 downloads with responses in any order, too short, too long, wrong and missing end with the bytes there are"
  )
  func random() throws {
    var random = Mutations(seed: 0x464C)
    for _ in 0..<1_000 {
      let size = [64, 100, 256].randomElement(using: &random) ?? 64
      let last = UInt32.random(in: 1...6, using: &random)
      let open = Int.random(in: 0...size, using: &random)
      let knows = Bool.random(using: &random)
      let room = Int.random(in: 1...300, using: &random)
      var flight = LogRequestWindow(
        try status(first: 1, last: UInt64(last), open: UInt64(open), page: UInt64(size)),
        room: knows ? room : nil)
      func byte(_ number: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number &* 37 &+ number >> 8) }
      func length(_ sequence: UInt32) -> Int { sequence == last ? open : size }
      func content(_ sequence: UInt32) -> [UInt8] {
        (0..<length(sequence)).map { byte(UInt64(sequence) * UInt64(size) + UInt64($0)) }
      }
      for sequence in 1...last where Int.random(in: 0..<4, using: &random) > 0 {
        let known = Int.random(in: 0...2, using: &random) == 0 ? Int.random(in: 0...size, using: &random) : 0
        flight.want(sequence, beginning: Array(content(sequence).prefix(known)))
      }
      var waiting: [(SMPClient.RequestHandle, Range<UInt64>)] = []
      var number = 0
      var steps = 0
      while !flight.isOver {
        steps += 1
        guard steps < 20_000 else {
          Issue.record("a flight does not end")
          return
        }
        if waiting.count < 4, let request = flight.next() {
          #expect(request.length == nil || request.length == request.range.count)
          let ticket = SMPClient.RequestHandle(number: number)
          number += 1
          flight.asked(request.range, ticket)
          waiting.append((ticket, request.range))
          if Bool.random(using: &random) { continue }
        }
        guard !waiting.isEmpty else { continue }
        let (ticket, range) = waiting.remove(at: Int.random(in: 0..<waiting.count, using: &random))
        guard let request = flight.close(ticket) else {
          Issue.record("a question is forgotten")
          return
        }
        let sequence = flight.page(of: request)
        var data = range.map(byte)
        switch Int.random(in: 0..<30, using: &random) {
        case 0: data.append(1)
        case 1: data = []
        case 2:
          flight.drop(sequence, after: request)
          continue
        case 3, 4, 5: data.removeLast(Int.random(in: 0..<data.count, using: &random))
        default: break
        }
        switch flight.take(data, to: request) {
        case .success(let pages):
          for page in pages {
            guard page.bytes == content(page.sequence), page.missing == 0 else {
              Issue.record("page \(page.sequence) came together wrong")
              return
            }
            flight.drop(page.sequence)
          }
        case .failure:
          let page = flight.page(sequence)
          guard flight.counts(request) else {
            flight.drop(after: request)
            continue
          }
          if page.attempt < 3 {
            flight.restart(page, after: request)
          } else {
            flight.drop(sequence, after: request)
          }
        }
        for part in flight.beginnings() {
          guard part.bytes == Array(content(part.sequence).prefix(part.bytes.count)) else {
            Issue.record("a beginning of page \(part.sequence) that is none")
            return
          }
        }
      }
    }
  }
}
