import Foundation
import HeraldDeviceLink
import HeraldText

/// The access state of a device: which requests it serves, and the data for opening a session.
public struct DeviceAccess: Equatable, Sendable {
  /// The hosts that may read the log of a device.
  public enum State: String, Sendable, Codable {
    /// Hosts that prove possession of its access key.
    case locked
    /// No host: it has no access key, and `access/stay-open` is not set.
    case setUp = "set-up"
    /// Every host: it has no access key, and `access/stay-open` is set.
    case open
  }

  /// Whether the device has an access key.
  public let isSet: Bool
  /// Whether the device serves all requests without a session.
  public let isOpen: Bool
  /// The device's nonce for the session: 16 bytes, valid for one proof.
  let nonce: [UInt8]
  /// The time in milliseconds until the device accepts a proof, after a start or invalid proofs.
  public let waitMilliseconds: UInt32

  /// Whether the firmware supports access keys. MCUboot's serial recovery does not.
  public var knowsKeys: Bool { !nonce.isEmpty }

  /// The access state of its log.
  public var state: State { isSet ? .locked : isOpen ? .open : .setUp }
}

extension DeviceClient {
  /// The access state of the device. A firmware without access keys is open.
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
      let nonce = body[SMPKey.nonce]?.byteString, nonce.count == SessionKeySchedule.nonceSize,
      let wait = body[SMPKey.wait]?.number32
    else { throw malformed(request, "an invalid access state") }
    return DeviceAccess(isSet: isSet, isOpen: isOpen, nonce: nonce, waitMilliseconds: wait)
  }

  /// Opens a session with the access key in a file, if the device has a key. If the device has no key
  /// although the file exists, it is another device or was reset: this is an error unless the device is known
  /// to be new. `remark` is called with remarks on the file for the user. `serial` replaces `{serial}` in the
  /// path.
  public func authenticate(
    keyFile path: String, serial: String, isNew: Bool, remark: (String) -> Void
  ) throws(HostLinkError) {
    let state = try access()
    var serial = serial
    if serial.isEmpty, SecretPath.isPerDevice(path) { serial = try information().serial }
    // Without a serial number there is no file for this device.
    guard state.isSet || !serial.isEmpty || !SecretPath.isPerDevice(path) else { return }
    let file = try SecretPath.of(path, serial: serial)
    guard state.isSet else { return try refuseImpostor(keyFile: file, isNew: isNew) }
    let key = try AccessKey.read(file)
    if key.isOpenToOthers { remark("users other than its owner have access to \(file); `chmod 600` it") }
    try unlock(key)
  }

  /// Throws if there is a file with the key of this device but the device reports that it has none, unless
  /// the device is known to be new.
  public func refuseImpostor(keyFile file: String, isNew: Bool) throws(HostLinkError) {
    guard !isNew, try LocalFile.exists(file) else { return }
    throw HostLinkError(
      .notProved,
      "\(client.location) says that it has no access key, but \(PrintableText.of(file, limit: 256)) has one for it: it was reset, or is another device with the same serial number",
      advice: "look at the device itself; if it is new, or was reset, say so with --new-device")
  }

  /// Called before a secret is sent: throws if the device reports that it is locked and no session is open. A
  /// locked device would refuse the secret; a device that falsely reports to be locked would obtain it.
  public func refuseLocked() throws(HostLinkError) {
    guard !client.isSealed, try access().isSet else { return }
    throw HostLinkError(
      .refused, "\(client.location) is locked: secrets are sent to it in a session only",
      advice: "name the file of its access key with --key-file")
  }

  /// Opens a session: the device and this computer prove to each other that they have the access key, and all
  /// later requests are sealed. The key itself is not transmitted. Waits for a device that has just started;
  /// `pause` waits for the given number of milliseconds.
  /// - Throws: `.notProved` if the device does not prove that it has the key, or reports that it has none;
  ///   `.refused` if it does not accept the proof.
  public func unlock(
    _ key: borrowing AccessKey, pause: (UInt32) -> Void = { usleep($0 * 1000) }
  ) throws(HostLinkError) {
    var system = SystemRandomNumberGenerator()
    var nonce = [UInt8](repeating: 0, count: SessionKeySchedule.nonceSize)
    for index in nonce.indices { nonce[index] = UInt8.random(in: 0...255, using: &system) }
    try unlock(key, nonce: nonce, pause: pause)
  }

  /// Opens a session with the given nonce.
  func unlock(
    _ key: borrowing AccessKey, nonce: [UInt8], pause: (UInt32) -> Void
  ) throws(HostLinkError) {
    var state = try access()
    if state.isSet, state.waitMilliseconds > 0, state.waitMilliseconds <= Self.longestWait {
      pause(state.waitMilliseconds)
      state = try access()
    }
    guard state.isSet else {
      throw notProved("says that it has no access key")
    }
    guard state.waitMilliseconds == 0 else {
      let seconds = (state.waitMilliseconds + 999) / 1000
      throw HostLinkError(
        .refused,
        "\(client.location) takes no access key for \(DurationText.of(seconds: seconds)): wrong ones have been tried",
        advice: "try again then")
    }
    client.forgetSession()
    let serial = try serialBytes()
    try client.opening { () throws(HostLinkError) in
      try exchangeProofs(key, deviceNonce: state.nonce, hostNonce: nonce, serial)
    }
  }

  private func exchangeProofs(
    _ key: borrowing AccessKey, deviceNonce: [UInt8], hostNonce: [UInt8], _ serial: [UInt8]
  ) throws(HostLinkError) {
    var schedule = SessionKeySchedule()
    schedule.begin(
      accessKey: key.bytes.span, deviceNonce: deviceNonce.span, hostNonce: hostNonce.span)
    var proof: [32 of UInt8] = .init(repeating: 0)
    schedule.hostProof(serial: serial.span, into: &proof)
    let request = ManagementRequest(
      "to open a session", .write, .herald, HeraldCommand.access, isRepeatable: false
    ) { writer in
      writer.map(2)
      writer.key(.nonce)
      writer.byteString(hostNonce.span)
      writer.key(.proof)
      writer.byteString(proof.span)
    }
    let answer = try client.ask(request)[SMPKey.proof]?.byteString ?? []
    schedule.deviceProof(serial: serial.span, into: &proof)
    let isProved = answer.span.equalsInConstantTime(proof.span)
    if isProved { client.take(HostSession(&schedule, serial: serial.span), key: key) }
    schedule.wipe()
    guard isProved else { throw notProved("has not proved that it has the access key") }
  }

  private func notProved(_ what: String) -> HostLinkError {
    HostLinkError(
      .notProved, "\(client.location) \(what): it is not the device that this key belongs to, or was reset",
      advice: "look at the device itself; if it is new, or was reset, say so with --new-device")
  }

  /// The maximum wait for a device that does not accept a proof yet, in milliseconds; longer than the delay
  /// of a device that has just started.
  private static var longestWait: UInt32 { 5000 }

  /// The serial number as sent by the device, without the sanitising of `information`.
  private func serialBytes() throws(HostLinkError) -> [UInt8] {
    let request = ManagementRequest("its serial number", .read, .os, OSCommand.information) { writer in
      writer.map(1)
      writer.key(.format)
      writer.text("n")
    }
    let text = try client.ask(request)[SMPKey.output]?.string ?? ""
    return Array(text.utf8.prefix(SessionKeySchedule.longestSerial))
  }

  /// Sets the access key of the device, and opens a session with it; earlier sessions end. The request is
  /// sealed if there is a session; otherwise the key is sent in plain text, over a link that is assumed
  /// private, unless the device reports that it is locked.
  public func setAccessKey(
    _ key: borrowing AccessKey, pause: (UInt32) -> Void = { usleep($0 * 1000) }
  ) throws(HostLinkError) {
    try refuseLocked()
    var bytes = Array(key.bytes)
    defer { bytes.wipe() }
    try write(.accessKey, bytes, "to set its access key")
    client.forgetSession()
    try unlock(key, pause: pause)
  }
}
