/// The general return codes of MCUmgr, the only ones of version 1.
public struct SMPReturnCode: RawRepresentable, Hashable, BitwiseCopyable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt8
  /// The code with this number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// EOK.
  public static var ok: Self { Self(rawValue: 0) }
  /// EUNKNOWN: something failed.
  public static var unknown: Self { Self(rawValue: 1) }
  /// ENOMEM: there is not enough memory. Not used by this device.
  public static var noMemory: Self { Self(rawValue: 2) }
  /// ETIMEOUT: it took too long. Not used by this device.
  public static var timeout: Self { Self(rawValue: 4) }
  /// EINVAL: the request is malformed, or has an invalid value.
  public static var invalid: Self { Self(rawValue: 3) }
  /// ENOENT: there is no such thing.
  public static var notFound: Self { Self(rawValue: 5) }
  /// EMSGSIZE: the response does not fit into a packet.
  public static var tooLong: Self { Self(rawValue: 7) }
  /// ENOTSUP: there is no such group or command.
  public static var unsupported: Self { Self(rawValue: 8) }
  /// EBUSY: something else has to end first.
  public static var busy: Self { Self(rawValue: 10) }
  /// ECORRUPT: the header's length and the packet's differ.
  public static var corrupt: Self { Self(rawValue: 9) }
  /// EACCESSDENIED: only with the access key.
  public static var accessDenied: Self { Self(rawValue: 11) }
  /// The version of the protocol is newer than 2.
  public static var tooNew: Self { Self(rawValue: 13) }
}

/// The error with which a request is refused.
///
/// A failure of the protocol itself is `{"rc": code}` in both versions. A failure within a group is
/// `{"err": {"group": group, "rc": code}}` in version 2, and the nearest general code in version 1.
public struct SMPFailure: Equatable, BitwiseCopyable, Sendable {
  /// The group in bits 16…31, all of them set for none; the code, and the nearest general one. In one word,
  /// as results are passed through many calls.
  fileprivate let word: UInt32

  /// A failure of the protocol.
  public init(_ general: SMPReturnCode) {
    word = 0xFFFF_0000 | UInt32(general.rawValue) &<< 8 | UInt32(general.rawValue)
  }

  /// A failure within a group, 0…65534.
  public init(_ group: SMPGroup, _ code: UInt8, general: SMPReturnCode) {
    word = UInt32(group.rawValue) &<< 16 | UInt32(code) &<< 8 | UInt32(general.rawValue)
  }

  /// The group whose code it is; `nil` for a failure of the protocol.
  public var group: SMPGroup? {
    let number = UInt16(truncatingIfNeeded: word &>> 16)
    return number == .max ? nil : SMPGroup(rawValue: number)
  }
  /// The code within the group.
  public var code: UInt8 { UInt8(truncatingIfNeeded: word &>> 8) }
  /// The nearest general code.
  public var general: SMPReturnCode { SMPReturnCode(rawValue: UInt8(truncatingIfNeeded: word)) }

  /// OS: a character of the format is none of MCUmgr's (2).
  public static var invalidFormat: Self { Self(.os, 2, general: .invalid) }
  /// OS: unknown query for the boot loader (3).
  public static var noAnswer: Self { Self(.os, 3, general: .notFound) }
  /// OS: the clock is not set (4).
  public static var clockNotSet: Self { Self(.os, 4, general: .notFound) }
  /// OS: the clock does not accept this date (5).
  public static var clockRefused: Self { Self(.os, 5, general: .unknown) }
  /// Statistics: there is no such group (2).
  public static var noSuchStatistics: Self { Self(.statistics, 2, general: .notFound) }
  /// Settings: there is none of this name (3).
  public static var noSuchSetting: Self { Self(.settings, 3, general: .notFound) }
  /// Settings: it cannot be read (4).
  public static var settingNotReadable: Self { Self(.settings, 4, general: .notFound) }
  /// Settings: the device has nothing that it is for, and it cannot be set (6).
  public static var settingNotTaken: Self { Self(.settings, 6, general: .unsupported) }
  /// Settings: it could not be stored, or the device has no storage (8).
  public static var settingNotKept: Self { Self(.settings, 8, general: .unknown) }
  /// File: there is none of this name, or it is not available (3).
  public static var noSuchFile: Self { Self(.file, 3, general: .notFound) }
  /// File: it could not be written (10).
  public static var fileNotWritten: Self { Self(.file, 10, general: .unknown) }
  /// Herald: the flash failed (1).
  public static var logUnreadable: Self { Self(.herald, 1, general: .unknown) }
  /// Herald: the page is no longer there, or not yet (2).
  public static var pageGone: Self { Self(.herald, 2, general: .notFound) }
  /// Herald: the offset is beyond the page's readable bytes; or the page to be acknowledged still grows, or
  /// one before it is not acknowledged (3).
  public static var beyondPage: Self { Self(.herald, 3, general: .invalid) }
  /// Herald: the epoch is not that of the log, so the request was meant for another device, or has been
  /// served (4).
  public static var otherEpoch: Self { Self(.herald, 4, general: .invalid) }
  /// Herald: a factory reset could not be recorded, and has not been begun (5).
  public static var resetNotNoted: Self { Self(.herald, 5, general: .unknown) }
  /// Herald: the proof is not that of the access key and the nonces, or the device has no key (6).
  public static var wrongProof: Self { Self(.herald, 6, general: .accessDenied) }
  /// Herald: the proof was not evaluated: it is too early after a wrong one, or its nonce was used up (7).
  public static var tooEarly: Self { Self(.herald, 7, general: .accessDenied) }
  /// Herald: the device has an access key, and the request is not the next one of a session (8).
  public static var locked: Self { Self(.herald, 8, general: .accessDenied) }
  /// Herald: the device is being set up: it has no access key, and `access/stay-open` is not set; the log is
  /// not served (12).
  public static var inSetUp: Self { Self(.herald, 12, general: .accessDenied) }
  /// Herald: the page is another than the one whose digest was sent (13).
  public static var otherDigest: Self { Self(.herald, 13, general: .invalid) }
  /// Herald: without a session a factory reset requires the device's button to be held before (14).
  public static var resetNotPermitted: Self { Self(.herald, 14, general: .accessDenied) }
}

/// The result of a request: success, or a failure.
struct SMPOutcome: BitwiseCopyable {
  /// A failure; 0 for a response.
  private let word: UInt32

  private init(word: UInt32) { self.word = word }

  /// The response is written.
  static var answered: Self { Self(word: 0) }
  /// The request is refused.
  static func failure(_ failure: SMPFailure) -> Self { Self(word: failure.word) }
  /// The request is refused by the protocol itself.
  static func failure(_ general: SMPReturnCode) -> Self { .failure(SMPFailure(general)) }

  /// The failure; `nil` for a response.
  var failure: SMPFailure? { word == 0 ? nil : SMPFailure(word: word) }
}

extension SMPFailure: Error {
  fileprivate init(word: UInt32) { self.word = word }
}
