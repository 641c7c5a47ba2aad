import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHCI
import HeraldSimulation
import TestInputs

/// A device with everything in it, small enough to be started anew for every input.
private typealias Device = HeraldNode<
  HCIRadio<SimulatedController, 2>,
  PartList<MemoryFlash, FuzzRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable>, 8, 2, 2
>

struct FuzzRandom: RandomSource, ~Copyable {
  private var state: UInt32 = 0x1234_5678

  mutating func next() -> UInt32 {
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    return state
  }
}

let hciSeeds: [[UInt8]] = [
  // Two legacy reports in one event; an extended one; a connection, an ATT request on it, its end.
  records([
    [
      0x04, 0x3E, 0x1D, 0x02, 0x02, 0x00, 0x03, 0x00, 0x01, 1, 2, 3, 4, 5, 0x46, 6, 5, 4, 3, 2, 0x41, 0x03,
      0x00, 0x02, 0x01,
      0x06, 0xC4, 0xC9,
    ],
    [
      0x04, 0x3E, 0x1D, 0x0D, 0x01, 0x13, 0x00, 0x01, 1, 2, 3, 4, 5, 0x46, 0x01, 0x00, 0xFF, 0x7F, 0xC0, 0x00,
      0x00, 0x00, 0, 0,
      0, 0, 0, 0, 0x03, 0x02, 0x01, 0x06,
    ],
    [
      0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x01, 0x01, 1, 2, 3, 4, 5, 0x46, 0x18, 0x00, 0x00, 0x00, 0x90,
      0x01, 0x00,
    ],
    [0x02, 0x40, 0x20, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x0A, 0x15, 0x00],
    [0x02, 0x40, 0x20, 0x08, 0x00, 0x09, 0x00, 0x04, 0x00, 0x06, 0x01, 0x00, 0xFF],
    [0x02, 0x40, 0x10, 0x05, 0x00, 0xFF, 0x00, 0x28, 0xF6, 0xFC],
    [0x04, 0x13, 0x05, 0x01, 0x40, 0x00, 0x01, 0x00],
    [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13],
  ]),
  // Signalling: a connection parameter update request; a pairing request; a hardware error; a data buffer
  // overflow.
  records([
    [
      0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0x00, 0x00, 0x01, 1, 2, 3, 4, 5, 0x46, 0x18, 0x00, 0x00, 0x00, 0x90,
      0x01, 0x00,
    ],
    [
      0x02, 0x40, 0x20, 0x10, 0x00, 0x0C, 0x00, 0x05, 0x00, 0x12, 0x01, 0x08, 0x00, 0x06, 0x00, 0x0C, 0x00,
      0x00, 0x00, 0xC8,
      0x00,
    ],
    [0x02, 0x40, 0x20, 0x0B, 0x00, 0x07, 0x00, 0x06, 0x00, 0x01, 0x03, 0x00, 0x01, 0x10, 0x07, 0x07],
    [0x04, 0x1A, 0x01, 0x01],
    [0x04, 0x10, 0x01, 0x42],
  ]),
]

/// What a controller sends, each record in one piece and a tenth of a second after the one before, to a
/// device that is up and running.
func fuzzHCI(_ bytes: Span<UInt8>) {
  var node = Device(
    radio: HCIRadio(transport: SimulatedController()),
    flash: MemoryFlash(pageSize: 512, pageCount: 4, wordSize: 4),
    random: FuzzRandom(), supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1),
    delegate: NoDelegate())
  var now = Instant.start
  for _ in 0..<10 {
    now = now + .milliseconds(100)
    _ = node.poll(at: now)
  }
  forEachRecord(bytes) { record in
    node.radio.transport.inject(record)
    now = now + .milliseconds(100)
    for _ in 0..<3 where node.poll(at: now) < now { broken("a deadline in the past") }
  }
  // Whatever that was, the device recovers by itself.
  var seconds = 0
  while seconds < 120, seconds < 5 || node.radio.state != .ready {
    seconds += 1
    now = now + .seconds(1)
    repeat { _ = node.poll(at: now) } while !node.radio.transport.isIdle
  }
  if node.radio.state != .ready { broken("a radio that does not come back") }
}

/// A page as the log writes it, with payload bytes and two commits; and one with more records than a page may
/// hold, one target at -50 dBm throughout, from which others of that kind are made.
let logPageSeeds: [[UInt8]] = {
  let image = FlashImage(pageSize: 512, pageCount: 2, wordSize: 4)
  writeSeed(image)
  return [Array(image.bytes.prefix(512)), Array(image.bytes.suffix(512)), overfullLogPage]
}()

let logMountSeeds: [[UInt8]] = {
  let image = FlashImage(pageSize: 512, pageCount: 2, wordSize: 4)
  writeSeed(image)
  return [image.bytes]
}()

private func writeSeed(_ image: FlashImage) {
  var log = FlashLog<MemoryFlash, 4>(flash: MemoryFlash(image))
  log.mount(freshEpoch: 7)
  for number in UInt32(0)..<40 {
    let target = TargetIdentity(kind: .randomAddress, high: 0x4000, low: number % 6)
    try? log.append(
      .measured(target, RSSI(Int8(-40 - Int(number)))), at: Instant(milliseconds: UInt64(number) * 130),
      clock: WallClock())
    if number == 20 {
      try? log.append(
        .read(target), bytes: [1, 2, 3, 4].span, at: Instant(milliseconds: 2600), clock: WallClock())
      log.commit()
    }
  }
  log.commit()
}

func fuzzLogPage(_ bytes: Span<UInt8>) {
  guard var decoder = LogPageDecoder(bytes) else { return }
  var payload: [64 of UInt8] = .init(repeating: 0)
  var records = 0
  while true {
    var room = payload.mutableSpan
    guard let record = decoder.next(payload: &room) else { break }
    records += 1
    if record.byteCount > 64 { broken("more payload bytes than there is room for") }
    // 8,192 in the first segment, and half as many in each further one, down to 64; of a page of 4,096 bytes
    // or fewer.
    if records >= 2 * 8192 + bytes.count { broken("more records than a page may hold") }
  }
  if decoder.ending == .reading { broken("reading ended without an end") }
}

func fuzzLogMount(_ bytes: Span<UInt8>) {
  let image = FlashImage(pageSize: 512, pageCount: 2, wordSize: 4)
  for index in 0..<min(bytes.count, 1024) { image.bytes[index] = bytes[index] }
  var log = FlashLog<MemoryFlash, 4>(flash: MemoryFlash(image))
  log.mount(freshEpoch: 9)
  do throws(LogError) {
    try log.append(.battery(level: 50, external: false), at: .start, clock: WallClock())
  } catch { broken("a log that takes nothing") }
  log.commit()
  log.maintain()
}
