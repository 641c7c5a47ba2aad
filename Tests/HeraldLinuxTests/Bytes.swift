import Foundation
import HeraldHAL
import HeraldHCI
import HeraldLinux

/// A folder of this test alone, gone with it.
final class TemporaryFolder {
  let path: String
  init() {
    path = NSTemporaryDirectory() + "herald-" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Everything a transport has to read now; `nil` when its line is gone.
func readAll(_ transport: inout some ControllerTransport & ~Copyable) -> [UInt8]? {
  var all: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 16)
  while true {
    var span = buffer.mutableSpan
    let count = transport.read(into: &span)
    if count < 0 { return nil }
    if count == 0 { return all }
    all += buffer[..<count]
  }
}

/// Offers `bytes` to a transport as one packet.
func write(_ bytes: [UInt8], to transport: inout some ControllerTransport & ~Copyable) -> Bool {
  transport.write(bytes.span)
}
