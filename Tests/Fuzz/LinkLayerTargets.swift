import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer

private let own = DeviceAddress(high: 0xC000, low: 0, kind: .random)
private let peer = DeviceAddress(high: 0xC605, low: 0x0403_0201, kind: .random)

/// A host and a radio that are given: records of one byte are commands, longer ones outcomes. The first byte
/// of those is the kind and what passes of time, the others the PDU that was received.
let linkLayerSeeds: [[UInt8]] = {
  let sent: [UInt8] = [0]
  let request: [UInt8] =
    [
      1, 0xC5, 34, 1, 2, 3, 4, 5, 0xC6, 0, 0, 0, 0, 0, 0xC0, 0xA3, 0x5D, 0x65, 0x50, 0x2C, 0x7F, 0x1B, 2, 0,
      0, 24,
    ]
    + [0, 0, 0, 100, 0, 255, 255, 255, 255, 31, 7]
  let advertisement: [UInt8] = [1, 0x40, 9, 1, 2, 3, 4, 5, 0xC6, 2, 1, 6]
  let peripheral: [[UInt8]] = [
    [0x80], sent + [0], request, [1, 0x11, 0], [0, 0], [1, 0x0E, 3, 1, 2, 3], [0, 0], [0x86],
    [1, 0x07, 2, 2, 0x13], [0, 0],
  ]
  let central: [[UInt8]] = [
    [0x84], advertisement, [0, 0], [0, 0], [1, 0x05, 0], [0, 0], [1, 0x0B, 9, 8, 0, 0, 0, 0, 0, 0, 0],
    [0, 0],
  ]
  let scanner: [[UInt8]] = [
    [0x83], advertisement, [0, 0], [1, 0x44, 9, 1, 2, 3, 4, 5, 0xC6, 2, 10, 0], [2, 0], [3, 0], [4, 0],
    [0x88],
  ]
  let update: [[UInt8]] = [
    [0x80], [0, 0], request, [1, 0x03, 12, 0, 2, 0, 0, 40, 0, 0, 0, 100, 0, 8, 0], [0, 0],
    [1, 0x0F, 8, 1, 255, 255, 0, 0, 0, 9, 0], [0, 0],
  ]
  return [peripheral, central, scanner, update].map(records)
}()

/// Both levels of a link layer, with whatever the air brings.
func fuzzLinkLayer(_ bytes: Span<UInt8>) {
  let air = FuzzedRadio.Air()
  var layer = LinkLayer<FuzzedRadio, 2>(radio: FuzzedRadio(air), seed: 1)
  var open = [false, false]
  forEachRecord(bytes) { record in
    if record.count == 1 {
      command(record[0], &layer)
    } else if record.count > 1, air.state == .busy, let operation = air.operation {
      air.pass(record, operation)
      if layer.radioInterrupt() { layer.procedures() }
    }
    while layer.takeReport() != nil {}
    while layer.takePayload({ connection, _, payload in
      if !open[connection] { broken("a payload without a connection") }
      if payload.isEmpty || payload.count > 27 { broken("a payload of impossible length") }
    }) {}
    while let event = layer.takeEvent() {
      switch event {
      case .opened(let connection, _, _):
        if open[connection] { broken("opened twice") }
        open[connection] = true
      case .closed(let connection, _):
        if !open[connection] { broken("closed twice") }
        open[connection] = false
      case .ready(let connection): if !open[connection] { broken("room without a connection") }
      case .connectFailed, .directedAdvertisingEnded: break
      }
    }
  }
}

/// The host wants something.
private func command(_ byte: UInt8, _ layer: inout LinkLayer<FuzzedRadio, 2>) {
  let data: [UInt8] = [2, 1, 6]
  switch byte & 0x0F {
  case 0...2, 13:
    let types: [AdvertisingType] = [
      .connectable, .scannable, .nonConnectable, .directed(to: peer, isHighDuty: byte & 0x10 != 0),
    ]
    try? layer.advertise(
      types[Int(byte & 3) == 1 && byte & 8 != 0 ? 3 : Int(byte & 3)], as: own, every: 20, data: data.span,
      response: data.span)
  case 3: try? layer.scan(active: byte & 0x10 != 0, as: own, every: 30, for: 20)
  case 4: try? layer.connect(to: peer, as: own, interval: 24, timeout: 100)
  case 5: layer.cancelConnect()
  case 6, 7: try? layer.send(data.span, isStart: true, on: Int(byte & 1))
  case 8: layer.stopScanning()
  case 9: layer.stopAdvertising()
  case 10, 11: layer.disconnect(Int(byte & 1))
  default: layer.procedures()
  }
}
