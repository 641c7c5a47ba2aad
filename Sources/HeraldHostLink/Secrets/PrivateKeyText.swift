internal import COpenSSL
import HeraldText

/// X25519 keys in PEM: private ones in PKCS #8 (RFC 5958, RFC 8410), also protected with a passphrase (PBES2,
/// RFC 8018), public ones as SubjectPublicKeyInfo. `openssl pkey` reads and writes the same files.
enum PrivateKeyText {
  /// Parameters of scrypt (RFC 7914): 16 MB of memory, the most that OpenSSL grants to the reader of a file.
  static let scrypt = (cost: UInt64(1 << 14), blockSize: UInt64(8), lanes: UInt64(5))
  /// What deriving a key from the passphrase may cost. A file with larger parameters would keep the program
  /// busy for minutes.
  static let mostWork: UInt64 = 1 << 25
  /// Bytes that a text takes at most.
  static let largest = 4096

  /// Why there is no key in a text.
  enum Failure: Error, Equatable {
    /// The text is no PEM with a private key, or a damaged one.
    case noKey
    /// The text is a key of another kind.
    case otherKind
    /// The key is protected, and there is no passphrase.
    case noPassphrase
    /// The passphrase is another one, or the text is damaged.
    case wrongPassphrase
    /// The key is protected in a way that this program does not read.
    case otherProtection
  }

  private static let marker = "-----BEGIN "

  /// Whether a text looks like PEM.
  static func isPEM(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { bytes.starts(with: Array(marker.utf8)) }

  /// Whether a text has a private key that is protected with a passphrase.
  static func isProtected(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.starts(with: Array((marker + "ENCRYPTED PRIVATE KEY-----").utf8))
  }

  /// The private key in a text.
  static func privateKey(in text: UnsafeBufferPointer<UInt8>, passphrase: Passphrase?) throws(Failure)
    -> SecretMemory
  {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard let input = BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)) else { throw .noKey }
    defer { BIO_free_all(input) }
    var key: OpaquePointer?
    if isProtected(text) {
      guard let file = PEM_read_bio_PKCS8(input, nil, nil, nil) else { throw .noKey }
      defer { X509_SIG_free(file) }
      let work = herald_passphrase_work(file)
      guard work > 0, work <= mostWork else { throw .otherProtection }
      guard let passphrase else { throw .noPassphrase }
      let plain = passphrase.memory.used.withMemoryRebound(to: CChar.self) {
        PKCS8_decrypt(file, $0.baseAddress, Int32(clamping: $0.count))
      }
      guard let plain else { throw .wrongPassphrase }
      defer { PKCS8_PRIV_KEY_INFO_free(plain) }
      key = EVP_PKCS82PKEY(plain)
    } else {
      // Keys in the older forms of PEM would have their own passphrase: the callback gives none.
      key = PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in -1 }, nil)
    }
    guard let key else { throw .noKey }
    defer { EVP_PKEY_free(key) }
    guard EVP_PKEY_get_id(key) == EVP_PKEY_X25519 else { throw .otherKind }
    var memory = SecretMemory(capacity: OwnerKey.size)
    var count = OwnerKey.size
    guard EVP_PKEY_get_raw_private_key(key, memory.bytes.baseAddress, &count) == 1, count == OwnerKey.size
    else { throw .noKey }
    memory.count = count
    return memory
  }

  /// The public key in a text.
  static func publicKey(in text: UnsafeBufferPointer<UInt8>) throws(Failure) -> [UInt8] {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard let input = BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)) else { throw .noKey }
    defer { BIO_free_all(input) }
    guard let key = PEM_read_bio_PUBKEY(input, nil, nil, nil) else { throw .noKey }
    defer { EVP_PKEY_free(key) }
    guard EVP_PKEY_get_id(key) == EVP_PKEY_X25519 else { throw .otherKind }
    var bytes = [UInt8](repeating: 0, count: OwnerKey.size)
    var count = bytes.count
    guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count else { throw .noKey }
    return bytes
  }

  /// The text of a private key, protected with a passphrase: AES-256-CBC, with a key that scrypt derives.
  /// `nil` if the library fails.
  static func protected(_ secret: UnsafeBufferPointer<UInt8>, _ passphrase: Passphrase) -> SecretMemory? {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard
      let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, secret.baseAddress, secret.count)
    else { return nil }
    defer { EVP_PKEY_free(key) }
    guard let plain = EVP_PKEY2PKCS8(key) else { return nil }
    defer { PKCS8_PRIV_KEY_INFO_free(plain) }
    var salt = SecretMemory(capacity: 16)
    salt.fillRandomly()
    guard
      let scheme = PKCS5_pbe2_set_scrypt(
        EVP_aes_256_cbc(), salt.bytes.baseAddress, 16, nil, scrypt.cost, scrypt.blockSize, scrypt.lanes)
    else { return nil }
    // The scheme belongs to the result from here on.
    let file = passphrase.memory.used.withMemoryRebound(to: CChar.self) {
      PKCS8_set0_pbe($0.baseAddress, Int32(clamping: $0.count), plain, scheme)
    }
    guard let file else {
      X509_ALGOR_free(scheme)
      return nil
    }
    defer { X509_SIG_free(file) }
    guard let output = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free_all(output) }
    guard PEM_write_bio_PKCS8(output, file) == 1 else { return nil }
    var memory = SecretMemory(capacity: largest)
    let count = BIO_read(output, memory.bytes.baseAddress, Int32(clamping: largest))
    guard count > 0, count < largest else { return nil }
    memory.count = Int(count)
    return memory
  }
}
