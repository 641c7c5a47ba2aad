import Foundation
import HeraldDeviceLink
import HeraldText

/// Which requests a device serves in its access state, and how a session is opened.
public struct DeviceAccess: Equatable, Sendable {
  /// Who may read the log of a device.
  public enum State: String, Sendable, Codable {
    /// Hosts that prove possession of its access key.
    case locked
    /// No host: it has no access key, and `access/stay-open` is not set.
    case setUp = "set-up"
    /// Every host: it has no access key, and `access/stay-open` is set.
    case open
  }

  /// Whether it has an access key.
  public let isSet: Bool
  /// Whether it serves everything without a session.
  public let isOpen: Bool
  /// Its part of what a session is made of: 16 bytes, good for one proof.
  let nonce: [UInt8]
  /// Milliseconds until it looks at a proof: it has just started, or wrong ones were tried.
  public let waitMilliseconds: UInt32

  /// Whether its firmware supports access keys. MCUboot's serial recovery does not.
  public var knowsKeys: Bool { !nonce.isEmpty }

  /// Who may read its log.
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
    else { throw malformed(request, "what is no state of a lock") }
    return DeviceAccess(isSet: isSet, isOpen: isOpen, nonce: nonce, waitMilliseconds: wait)
  }

  /// Opens a session with the access key in a file, if the device has a key. If it has none and the file is
  /// there, the device is not the one that the file belongs to, or was reset: that is an error, unless it is
  /// known to be new. `remark` is called with remarks on the file for the user. `serial` takes the place of
  /// `{serial}` in the path.
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
    if key.isOpenToOthers { remark("others than its owner may use \(file); `chmod 600` it") }
    try unlock(key)
  }

  /// An error if there is a file with the key of this device, which says that it has none, unless it is known
  /// to be new.
  public func refuseImpostor(keyFile file: String, isNew: Bool) throws(HostLinkError) {
    guard !isNew, Foundation.access(file, F_OK) == 0 else { return }
    throw HostLinkError(
      .notProved,
      "\(client.location) says that it has no access key, but \(PrintableText.of(file, limit: 256)) has one for it: it was reset, or it is another device that repeats its serial number",
      advice: "look at the device itself; if it is new, or was reset, say so with --new-device")
  }

  /// Before a secret is sent: an error if the device says that it is locked and there is no session with it.
  /// One that is locked would refuse the secret, and one that only says so would learn it.
  public func refuseLocked() throws(HostLinkError) {
    guard !client.isSealed, try access().isSet else { return }
    throw HostLinkError(
      .refused, "\(client.location) is locked: secrets are sent to it in a session only",
      advice: "name the file of its access key with --key-file")
  }

  /// Opens a session: the device and this computer prove to each other that they have the access key, and
  /// everything after that is sealed. The key itself does not leave this computer. Waits for a device that
  /// has just started; `pause` does that, for so many milliseconds.
  /// - Throws: `.notProved` if the device does not prove that it has the key, or says that it has none;
  ///   `.refused` if it does not take the proof.
  public func unlock(
    _ key: borrowing AccessKey, pause: (UInt32) -> Void = { usleep($0 * 1000) }
  ) throws(HostLinkError) {
    var system = SystemRandomNumberGenerator()
    var nonce = [UInt8](repeating: 0, count: SessionKeySchedule.nonceSize)
    for index in nonce.indices { nonce[index] = UInt8.random(in: 0...255, using: &system) }
    try unlock(key, nonce: nonce, pause: pause)
  }

  /// The same with this nonce.
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
      "to be let in", .write, .herald, HeraldCommand.access, isRepeatable: false
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

  /// How long a device is waited for that takes no proof yet, in milliseconds: longer than one that has just
  /// started takes none.
  private static var longestWait: UInt32 { 5000 }

  /// The serial number as the device has it, which `information` makes safe to show.
  private func serialBytes() throws(HostLinkError) -> [UInt8] {
    let request = ManagementRequest("its serial number", .read, .os, OSCommand.information) { writer in
      writer.map(1)
      writer.key(.format)
      writer.text("n")
    }
    let text = try client.ask(request)[SMPKey.output]?.string ?? ""
    return Array(text.utf8.prefix(SessionKeySchedule.longestSerial))
  }

  /// Gives the device this access key, and opens a session with it: the sessions before it are over. Sealed
  /// if there is a session; else the key goes to the device as it is, over a link that is assumed private,
  /// unless the device says that it is locked.
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
