/// The commands of group `image`.
public enum ImageCommand {
  /// The contents of the slots (read), and the plan for them (write).
  public static var state: UInt8 { 0 }
  /// A part of an image.
  public static var upload: UInt8 { 1 }
  /// Empties the second slot.
  public static var erase: UInt8 { 5 }
  /// The capacity of the second slot.
  public static var slotInfo: UInt8 { 6 }
}

/// The keys of the CBOR maps of group `image`.
public enum ImageKey {
  /// State: the list of what is in the slots. Slot info: the list of images.
  public static var images: StaticString { "images" }
  /// State: unused, 0.
  public static var splitStatus: StaticString { "splitStatus" }
  /// State, erase, slot info: which slot.
  public static var slot: StaticString { "slot" }
  /// State: of the image.
  public static var version: StaticString { "version" }
  /// State: the SHA-256 that the image contains.
  public static var hash: StaticString { "hash" }
  /// State: whether it may be started.
  public static var bootable: StaticString { "bootable" }
  /// State: whether it is started next.
  public static var pending: StaticString { "pending" }
  /// State: whether it stays.
  public static var confirmed: StaticString { "confirmed" }
  /// State: whether it runs.
  public static var active: StaticString { "active" }
  /// State: whether it stays when it has been started next.
  public static var permanent: StaticString { "permanent" }
  /// State, to write: whether it is to stay.
  public static var confirm: StaticString { "confirm" }
  /// Upload, slot info: of which image; 0.
  public static var image: StaticString { "image" }
  /// Upload: SHA-256 of all its bytes.
  public static var sha: StaticString { "sha" }
  /// Upload: whether only a newer version is accepted.
  public static var upgrade: StaticString { "upgrade" }
  /// Upload: whether its bytes have the announced SHA-256.
  public static var match: StaticString { "match" }
  /// Slot info: the slots of an image.
  public static var slots: StaticString { "slots" }
  /// Slot info: bytes of a slot.
  public static var size: StaticString { "size" }
  /// Slot info: the most bytes an image may have.
  public static var mostBytes: StaticString { "max_image_size" }
}

extension SMPFailure {
  /// Image: there is none in the slot (3).
  public static var noImage: Self { Self(.image, 3, general: .notFound) }
  /// Image: what follows the image is not a list (4).
  static var noImageList: Self { Self(.image, 4, general: .notFound) }
  /// Image: an entry of the list is wrong (5).
  static var badImageEntry: Self { Self(.image, 5, general: .unknown) }
  /// Image: it is not signed with the device's key. MCUmgr has no code for this: that of a wrong entry (5).
  public static var imageNotSigned: Self { badImageEntry }
  /// Image: none has this hash, or it has none (8).
  public static var noImageHash: Self { Self(.image, 8, general: .unknown) }
  /// Image: the slot cannot be read (11).
  static var imageUnreadable: Self { Self(.image, 11, general: .unknown) }
  /// Image: the slot cannot be written (12).
  public static var imageNotWritten: Self { Self(.image, 12, general: .unknown) }
  /// Image: the slot cannot be erased (13).
  public static var imageNotErased: Self { Self(.image, 13, general: .unknown) }
  /// Image: there is no such slot, or it is the one that runs (14).
  public static var noSuchSlot: Self { Self(.image, 14, general: .invalid) }
  /// Image: the first byte's number is missing (20).
  static var noImageOffset: Self { Self(.image, 20, general: .invalid) }
  /// Image: the length is missing (21).
  static var noImageLength: Self { Self(.image, 21, general: .invalid) }
  /// Image: the first part is shorter than a header (22).
  static var shortImage: Self { Self(.image, 22, general: .invalid) }
  /// Image: it does not begin with a valid header (23).
  static var notAnImage: Self { Self(.image, 23, general: .unknown) }
  /// Image: a hash has another length (24).
  static var badImageHash: Self { Self(.image, 24, general: .invalid) }
  /// Image: the running image is not older (27).
  public static var imageNotNewer: Self { Self(.image, 27, general: .badState) }
  /// Image: the one in the slot is started next (28).
  public static var imagePending: Self { Self(.image, 28, general: .badState) }
  /// Image: the slot is too small for it (30).
  public static var imageTooLarge: Self { Self(.image, 30, general: .unknown) }
  /// Image: more bytes than announced (31).
  static var imageOverrun: Self { Self(.image, 31, general: .unknown) }
  /// Image: the running image cannot be tested (33).
  public static var imageIsActive: Self { Self(.image, 33, general: .unknown) }
}

extension SMPReturnCode {
  /// EBADSTATE: not possible in the present state.
  public static var badState: Self { Self(rawValue: 6) }
}
