import Foundation
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Keys in the forms of common tools")
struct PEMKeyTests {
  /// What OpenSSL 3 makes of `Imgtool.ecdsaKey`, by the command.
  private enum OpenSSL {
    /// `openssl ecparam -name prime256v1 -genkey`.
    static let withParameters = """
      -----BEGIN EC PARAMETERS-----
      BggqhkjOPQMBBw==
      -----END EC PARAMETERS-----
      -----BEGIN EC PRIVATE KEY-----
      MHcCAQEEIG5KYIFRHwyXMKZ69lkcHeXYbxb+2bEiIomBOykNALMboAoGCCqGSM49
      AwEHoUQDQgAEYG+jQlXwAqJW7J4uF7BdzVE3uxkQPhq9/zTzgCngkcQlNZjsIgcc
      PQC+w9f7n+7dNdBTcn4rwFkKXmpxC9wLgw==
      -----END EC PRIVATE KEY-----
      """
    /// `openssl ec -conv_form compressed`.
    static let compressedPoint = """
      -----BEGIN EC PRIVATE KEY-----
      MFcCAQEEIG5KYIFRHwyXMKZ69lkcHeXYbxb+2bEiIomBOykNALMboAoGCCqGSM49
      AwEHoSQDIgADYG+jQlXwAqJW7J4uF7BdzVE3uxkQPhq9/zTzgCngkcQ=
      -----END EC PRIVATE KEY-----
      """
    /// `openssl ec -no_public`.
    static let withoutPoint = """
      -----BEGIN EC PRIVATE KEY-----
      MDECAQEEIG5KYIFRHwyXMKZ69lkcHeXYbxb+2bEiIomBOykNALMboAoGCCqGSM49
      AwEH
      -----END EC PRIVATE KEY-----
      """
    /// `openssl ec -pubout -conv_form compressed`.
    static let compressedPublic = """
      -----BEGIN PUBLIC KEY-----
      MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgADYG+jQlXwAqJW7J4uF7BdzVE3uxkQ
      Phq9/zTzgCngkcQ=
      -----END PUBLIC KEY-----
      """
    /// `openssl ec -param_enc explicit`.
    static let explicitCurve = """
      -----BEGIN EC PRIVATE KEY-----
      MIIBaAIBAQQgbkpggVEfDJcwpnr2WRwd5dhvFv7ZsSIiiYE7KQ0AsxuggfowgfcC
      AQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAAAAAAAAAAAAAA////////////////
      MFsEIP////8AAAABAAAAAAAAAAAAAAAA///////////////8BCBaxjXYqjqT57Pr
      vVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSdNgiG5wSTamZ44ROdJreBn36QBEEE
      axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54W
      K84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA//////////+85vqtpxeehPO5ysL8
      YyVRAgEBoUQDQgAEYG+jQlXwAqJW7J4uF7BdzVE3uxkQPhq9/zTzgCngkcQlNZjs
      IgccPQC+w9f7n+7dNdBTcn4rwFkKXmpxC9wLgw==
      -----END EC PRIVATE KEY-----
      """
    /// `openssl ec -aes128`.
    static let legacyPassword = """
      -----BEGIN EC PRIVATE KEY-----
      Proc-Type: 4,ENCRYPTED
      DEK-Info: AES-128-CBC,9E83E9E526D3C812FFB75DA57C91DEA6

      9AKThqZ6eSCu4tmH9I8kD4R49Sc4zUoxLOluxu4pzIw/4sLW8I96psk/kRlLZOkl
      Ndsqzrokyczos89hYDh/U/0qVG5jNq3XAixjCETrlQygpNHj+1Gu4if9H/2uYSsf
      jLvN1rdSfuFmfyPyWc4ajBpASof/z9It9/PK4XJAcI0=
      -----END EC PRIVATE KEY-----
      """
    /// `openssl ecparam -name secp384r1 -genkey -noout`.
    static let otherCurve = """
      -----BEGIN EC PRIVATE KEY-----
      MIGkAgEBBDB1bi23w10gdVpa9H/Wem+afe9yRjbVh859Dy7x1nzD2gbDybZ/E6y4
      7crDKShBqFmgBwYFK4EEACKhZANiAARjeYAPDBeD9Bt9EN+fYMdZnWNvg6BzoQ1q
      R40vKG8p6I5S9BNFPFa/PZFmwH9zJbBLk1stCFVDdr1QjN7KJqLmK+4H0za00x66
      AfVRM93g4+BY2LttUPzIwOEwK+DWGF0=
      -----END EC PRIVATE KEY-----
      """
    /// `openssl genpkey -algorithm x25519`.
    static let exchange = """
      -----BEGIN PRIVATE KEY-----
      MC4CAQAwBQYDK2VuBCIEIFjwYSmOuS3sWmVWjrsPIn2PX+uaBSz16/blqLfFmmJ8
      -----END PRIVATE KEY-----
      """
  }

  private static func failure(_ text: String) -> String? {
    do {
      _ = try MCUbootKey(pem: text)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("A key is the same with a block of parameters in front, with a compressed point, and without one")
  func forms() throws {
    let key = try MCUbootKey(pem: Imgtool.ecdsaKey)
    for text in [OpenSSL.withParameters, OpenSSL.compressedPoint, OpenSSL.withoutPoint] {
      #expect(try MCUbootKey(pem: text).hash == key.hash && MCUbootKey(pem: text).isPrivate, "\(text)")
    }
    let shown = try MCUbootKey(pem: OpenSSL.compressedPublic)
    #expect(shown.hash == key.hash && !shown.isPrivate)
    // The key is named in images by its uncompressed form.
    #expect(try MCUbootImage(Imgtool.ecdsa).signatureState(key: shown) == .valid)
    // Text in front of a key, Windows' ends of lines and its mark at the start are no part of it.
    let decorated = "\u{FEFF}" + OpenSSL.withParameters.replacing("\n", with: "\r\n")
    #expect(try MCUbootKey(pem: decorated).hash == key.hash)
    #expect(try MCUbootKey(pem: "read EC key\n" + OpenSSL.compressedPoint).hash == key.hash)
  }

  @Test("A key of another kind is refused by what it is")
  func otherKinds() {
    let wanted =
      "; images are signed with Ed25519 or ECDSA on P-256, as `imgtool keygen -t ed25519` or `-t ecdsa-p256` makes a key"
    #expect(Self.failure(OpenSSL.otherCurve) == "this is an ECDSA key on P-384" + wanted)
    #expect(
      Self.failure(OpenSSL.exchange) == "this is an X25519 key, which encrypts and does not sign" + wanted)
    #expect(
      Self.failure("-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----")
        == "this is an RSA key" + wanted)
    #expect(Self.failure(OpenSSL.explicitCurve)?.hasPrefix("the key does not name its curve") == true)
    for text in [
      OpenSSL.legacyPassword,
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----",
    ] { #expect(Self.failure(text)?.hasPrefix("the key is protected with a password") == true) }
    #expect(
      Self.failure("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----")?
        .hasPrefix("this is a certificate") == true)
    #expect(
      Self.failure("-----BEGIN OPENSSH PRIVATE KEY-----\nMAA=\n-----END OPENSSH PRIVATE KEY-----")?
        .hasPrefix("this is a key of OpenSSH") == true)
    #expect(Self.failure(Imgtool.ecdsaKey + "\n" + Imgtool.ed25519Key)?.hasPrefix("there are 2 keys") == true)
  }

  /// A key in PEM with other DER.
  private static func changed(_ pem: String, _ label: String, _ change: (inout [UInt8]) -> Void) throws
    -> String
  {
    let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
    var bytes = [UInt8](try #require(Data(base64Encoded: lines)))
    change(&bytes)
    return "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString())\n-----END \(label)-----\n"
  }

  @Test("Bytes behind the DER of a key, or within it, are refused, as are halves of two keys")
  func trailing() throws {
    let keys = [
      (Imgtool.ed25519Key, "PRIVATE KEY"), (Imgtool.ed25519PublicKey, "PUBLIC KEY"),
      (Imgtool.ecdsaKey, "PRIVATE KEY"), (Imgtool.ecdsaPublicKey, "PUBLIC KEY"),
      (OpenSSL.compressedPoint, "EC PRIVATE KEY"), (OpenSSL.compressedPublic, "PUBLIC KEY"),
    ]
    for (pem, label) in keys {
      #expect(try Self.failure(Self.changed(pem, label) { _ in }) == nil)
      #expect(try Self.failure(Self.changed(pem, label) { $0.append(0) }) != nil)
      #expect(try Self.failure(Self.changed(pem, label) { $0.removeLast() }) != nil)
      // Within the outermost sequence, whose length is made right: its first byte if it is below 128.
      #expect(
        try Self.failure(
          Self.changed(pem, label) { bytes in
            bytes[bytes[1] < 0x80 ? 1 : 2] += 2
            bytes += [5, 0]
          }) != nil)
    }
    let halves = try Self.changed(OpenSSL.compressedPoint, "EC PRIVATE KEY") { $0[20] ^= 1 }
    #expect(Self.failure(halves) == "its public half is not that of its private half")
  }

  @Test("A scalar that is out of range, and a point beside the curve, are refused")
  func ranges() throws {
    for scalar in [
      [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32),
      [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + [
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
      ],
    ] {
      let changed = try Self.changed(OpenSSL.withoutPoint, "EC PRIVATE KEY") {
        $0.replaceSubrange(7..<39, with: scalar)
      }
      #expect(Self.failure(changed) == "the key in it is damaged")
    }
    // There is no y for x = 1.
    let beside = try Self.changed(OpenSSL.compressedPublic, "PUBLIC KEY") {
      $0.replaceSubrange(27..., with: [UInt8](repeating: 0, count: 31) + [1])
    }
    #expect(Self.failure(beside) == "its public key is no point of P-256")
    let other = try Self.changed(OpenSSL.compressedPoint, "EC PRIVATE KEY") {
      $0.replaceSubrange(($0.count - 32)..., with: [UInt8](repeating: 0, count: 31) + [1])
    }
    #expect(Self.failure(other) == "its public key is no point of P-256")
  }

  @Test("No byte of a key makes the reader trap")
  func damaged() throws {
    let keys = [
      (Imgtool.ed25519Key, "PRIVATE KEY"), (Imgtool.ecdsaKey, "PRIVATE KEY"),
      (OpenSSL.compressedPublic, "PUBLIC KEY"),
    ]
    for (pem, label) in keys {
      for index in 0..<60 {
        for value in [0, 1, 2, 0x30, 0x7F, 0x80, 0x81, 0x83, 0x84, 0xFF] as [UInt8] {
          _ = Self.failure(try Self.changed(pem, label) { if index < $0.count { $0[index] = value } })
        }
        _ = Self.failure(try Self.changed(pem, label) { $0 = Array($0.prefix(index)) })
      }
    }
  }
}
