import HeraldBluetooth
import HeraldCrypto
import HeraldEmbedded
import HeraldHAL
import Startup

// The work of a sealed log, in the parts in which a device does it. Between two of them the processor sleeps,
// so that a test can count what each takes; the results are its part of the retained words.

/// Shows 32 bytes to the test.
@inline(never)
func show(_ bytes: Span<UInt8>) {
  for word in 0..<8 {
    var value: UInt32 = 0
    for index in 0..<4 { value |= UInt32(bytes[4 &* word &+ index]) &<< UInt32(8 &* index) }
    unsafe startup_retained_words()?[8 &+ word] = value
  }
}

@inline(never)
func sleep() { startup_wait_for_interrupt() }

/// 1, 2, … 32.
let secret: [32 of UInt8] = .init { UInt8(truncatingIfNeeded: $0 &+ 1) }
nonisolated(unsafe) var curve = X25519()
nonisolated(unsafe) var result: [32 of UInt8] = .init(repeating: 0)
nonisolated(unsafe) var log = FlashLog<NoFlash, 1>(flash: NoFlash())

/// A block of 192 bytes, whose first is not encrypted.
@inline(never)
func seal() {
  var key: [16 of UInt8] = .init(repeating: 0)
  for index in 0..<16 { key[index] = secret[index] }
  var cipher = AES128CCM(key: key, nonce: .init(repeating: 7))
  var block: [192 of UInt8] = .init(repeating: 0)
  for index in 0..<192 { block[index] = UInt8(truncatingIfNeeded: index) }
  var packet = block.mutableSpan
  sleep()
  _ = cipher.seal(&packet, clear: 1, tag: 4)
  sleep()
  show(packet.span.extracting(160..<192))
}

// A public key.
sleep()
curve.begin(scalar: secret.span, point: Span())
sleep()
while !curve.advance() { sleep() }
sleep()
curve.finish(into: &result)
sleep()
show(result.span)
seal()
// All keys of a start.
log.sealer.begin(secret: secret.span)
for _ in 0..<2 {
  while !log.sealer.advance() {}
  sleep()
  log.makeKeys(owner: result.span, serial: Span(), at: .start)
  sleep()
}
while true { sleep() }
