import Foundation
import HeraldDeviceLink
import HeraldEmbedded

/// Whether a device is locked, and to whom it is open.
public struct DeviceAccess: Equatable, Sendable {
  /// Whether it has an access key.
  public let isSet: Bool
  /// Whether it serves everything over this link: it has no key, or the key was proved.
  public let isOpen: Bool
  /// What the next proof is made of: 16 bytes, good for one.
  let nonce: [UInt8]
  /// Milliseconds until it looks at a proof: it has just started, or wrong ones were tried.
  public let waitMilliseconds: UInt32
}

extension DeviceClient {
  /// Whether the device is locked. One of a firmware without access keys is open.
  public func access() throws(HostLinkError) -> DeviceAccess {
    let request = ManagementRequest(
      "whether it is locked", .read, .herald, HeraldCommand.access, isRepeatable: true)
    let body: CBORValue
    do {
      body = try client.ask(request)
    } catch  where error.cause == .refused {
      return DeviceAccess(isSet: false, isOpen: true, nonce: [], waitMilliseconds: 0)
    }
    guard case .boolean(let isSet) = body[SMPKey.isSet], case .boolean(let isOpen) = body[SMPKey.open],
      let nonce = body[SMPKey.nonce]?.byteString, nonce.count == 16, let wait = body[SMPKey.wait]?.number32
    else { throw malformed(request, "what is no state of a lock") }
    return DeviceAccess(isSet: isSet, isOpen: isOpen, nonce: nonce, waitMilliseconds: wait)
  }

  /// Proves to the device that this computer has its access key: HMAC-SHA256 with the key over "herald access 1", the device's serial number and a
  /// nonce of its. The key itself never leaves this computer. Does nothing if the device is open. Waits for one that has just started; `pause` does that, for so many milliseconds.
  public func unlock(
    _ key: borrowing AccessKey, pause: (UInt32) -> Void = { usleep($0 * 1000) }
  ) throws(HostLinkError) {
    var state = try access()
    if !state.isOpen, state.waitMilliseconds > 0, state.waitMilliseconds <= Self.patience {
      pause(state.waitMilliseconds)
      state = try access()
    }
    guard !state.isOpen else { return }
    guard state.waitMilliseconds == 0 else {
      let seconds = (state.waitMilliseconds + 999) / 1000
      throw HostLinkError(
        .refused,
        "\(client.location) takes no access key for \(DurationText.of(seconds: seconds)): wrong ones have been tried",
        advice: "try again then")
    }
    let serial = try serialBytes()
    var code = HMACSHA256(key: key.memory.used.span)
    code.update("herald access 1")
    code.update(serial.span)
    code.update(state.nonce.span)
    var proof: [32 of UInt8] = .init(repeating: 0)
    code.finish(into: &proof)
    let request = ManagementRequest(
      "to be let in", .write, .herald, HeraldCommand.access, isRepeatable: false
    ) {
      writer in
      writer.map(1)
      writer.key(.proof)
      writer.byteString(proof.span)
    }
    _ = try client.ask(request)
  }

  /// How long a device is waited for that takes no proof yet, in milliseconds: longer than one that has just started takes none.
  private static var patience: UInt32 { 5000 }

  /// The serial number as the device has it, which `information` makes safe to show.
  private func serialBytes() throws(HostLinkError) -> [UInt8] {
    let request = ManagementRequest("its serial number", .read, .os, OSCommand.information) { writer in
      writer.map(1)
      writer.key(.format)
      writer.text("n")
    }
    return Array((try client.ask(request)[SMPKey.output]?.string ?? "").utf8.prefix(32))
  }

  /// Gives the device this access key: from then on it is locked to who does not have it, over this link, too. It goes to the device as it is: over a link that nobody else
  /// listens to.
  public func setAccessKey(_ key: borrowing AccessKey) throws(HostLinkError) {
    var bytes = Array(key.memory.used)
    defer { for index in bytes.indices { bytes[index] = 0 } }
    try write(.accessKey, bytes, "to set its access key")
  }
}
