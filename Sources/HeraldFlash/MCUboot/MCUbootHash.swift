import Crypto
import HeraldImages

extension MCUbootImage {
  /// The validity of the hash contained in an image.
  public enum HashState: String, Sendable {
    case right, wrong, absent
  }

  /// Whether the hash in the image is correct; if there are several, all must be.
  public var hashState: HashState {
    var state = HashState.absent
    for entry in entries {
      let own: [UInt8]
      switch entry.type {
      case EntryType.sha256: own = Array(Crypto.SHA256.hash(data: covered))
      case EntryType.sha384: own = Array(Crypto.SHA384.hash(data: covered))
      case EntryType.sha512: own = Array(Crypto.SHA512.hash(data: covered))
      default: continue
      }
      if entry.value != own { return .wrong }
      state = .right
    }
    return state
  }
}
