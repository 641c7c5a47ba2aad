import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// What centrals write: each record is a byte and a value that is written. Of the byte, bits 0 and 1 are the
/// connection, bits 2 and 3 the time that has passed (0, 0.5, 1 and 1.5 s); with bit 4 the connection ends
/// instead, with bit 5 the service is opened or closed, with bit 6 a request is taken into `room` − 1 bytes,
/// with bit 7 one into `room`.
let managementPortSeeds: [[UInt8]] = {
  let echo: [UInt8] = [0x0A, 0, 0, 7, 0, 0, 5, 0, 0xA1, 0x61, 0x64, 0x63, 0x68, 0x69, 0x21]
  let longest = [0x0A, 0, 0, 40, 0, 0, 6, 0] + [UInt8](repeating: 0x0A, count: 40)
  return [
    records([[0x80] + echo, [0] + echo[..<8], [0x80] + echo[8...]]),
    // Another central, and the end of the client's connection.
    records([[1] + echo[..<12], [0x82] + echo, [0x81] + echo[12...], [0x11], [0x82] + echo]),
    // A packet without an end, and one after it; one that is as long as there is room, and one beside it.
    records([[0] + echo[..<12], [0x8C] + echo, [0x80] + longest, [0] + longest, [0x40] + echo, [0x80]]),
    records([[0, 0x0C] + echo, [0x88] + echo, [0x8C] + echo, [0x20] + echo, [0xA0] + echo]),
  ]
}()

/// A port of 48 bytes. What it returns is a packet of one client, made of writes that followed each other.
func fuzzManagementPort(_ bytes: Span<UInt8>) {
  var port = BluetoothManagementPort<48>()
  port.isOpen = true
  var now = Instant.start + .seconds(10)
  var session = UInt16(0)
  // The bytes that the client has written, and how many of them are before the end of the last packet.
  var written: [UInt8] = []
  var taken = 0
  forEachRecord(bytes) { record in
    guard record.count > 0 else { return }
    let connection = ConnectionID(index: Int(record[0] & 3))
    now = now + .milliseconds(UInt32(record[0] &>> 2 & 3) &* 500)
    if record[0] & 0x20 != 0 { port.isOpen = !port.isOpen }
    if record[0] & 0x10 != 0 {
      port.closed(connection)
    } else {
      let value = record.extracting(droppingFirst: 1)
      port.receive(value, on: connection, at: now)
      if port.session != session { (session, written, taken) = (port.session, [], 0) }
      if port.isOpen, port.client == connection {
        for index in 0..<value.count { written.append(value[index]) }
      }
    }
    if port.client == nil, port.session != 0 { broken("a session without a client") }
    let room = record[0] & 0x80 != 0 ? 48 : record[0] & 0x40 != 0 ? 47 : 0
    guard room > 0 else { return }
    var packet = [UInt8](repeating: 0, count: room)
    var span = packet.mutableSpan
    let count = port.take(into: &span)
    guard count > 0 else { return }
    if port.client == nil { broken("a packet of a client that has gone") }
    if count > room || count != 8 + Int(packet[2]) << 8 + Int(packet[3]) {
      broken("a packet of another length than its header states")
    }
    guard
      let start = (taken...max(taken, written.count - count)).first(where: { start in
        start + count <= written.count && written[start..<(start + count)].elementsEqual(packet[..<count])
      })
    else { broken("a packet that the client has not written") }
    taken = start + count
  }
}
