import TestInputs
import Testing

@testable import HeraldFlash

/// Images that imgtool 2.5.0 made of the bytes 0 to 15: version 1.2.3+4, a header of 32 bytes, `--align 4`.
/// The keys were made for them, and sign nothing else.
enum Imgtool {
  /// With a hash only.
  static let plain = hexBytes(
    "3db8f39600000000200000001000000000000000010203000400000000000000000102030405060708090a0b0c0d0e0f"
      + "076928001000200004cbb04cff0327ca1d27929d4af2c825fb1d13bdb48fd5fdd935263b6e42d4b3")
  /// Signed with Ed25519, with a security counter of 7 in the protected list.
  static let ed25519 = hexBytes(
    "3db8f3960000000020000c001000000000000000010203000400000000000000000102030405060708090a0b0c0d0e0f"
      + "08690c0050000400070000000769900010002000125b4e265b50c261a2a5e942d9f0863fa696295617a8db87ad2849ed"
      + "bed9a219010020008cee0bb435c300fb9441638a377f832adefd126d9d87685dfa9a83b1974d4de2240040007d126d93"
      + "032dcdcfae6eeacf5ce7b1efbb519eafa67e0426c07ea4c6a366b9dec34a04ca6be4076636af87739dbabf6460d773a4"
      + "ce29efd681704e4d1f858504")
  /// Signed with ECDSA on P-256.
  static let ecdsa = hexBytes(
    "3db8f39600000000200000001000000000000000010203000400000000000000000102030405060708090a0b0c0d0e0f"
      + "076996001000200004cbb04cff0327ca1d27929d4af2c825fb1d13bdb48fd5fdd935263b6e42d4b3010020007637ae3f"
      + "83512e55302b41564fe57efa1227914b3f9939571296eefd58e95b1222004600304402203bdfd75f5e5e7397020a2a2d"
      + "40d1027011e8ea4c92cbacbca788f93e79df374a02200bb268dbf81a9a720d0010fa12f3d37f13c540ea69ed42740d68"
      + "09babbc65edd")

  static let ed25519Key = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEINe5U7fsx7Z87KloIFTUCKC4yRu/LFIWptNPfVOjk0og
    -----END PRIVATE KEY-----
    """
  static let ed25519PublicKey = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAiWMpCw3rBLer3gYSu7H/SN6Pau0ABCjUqOsEWe3p3zs=
    -----END PUBLIC KEY-----
    """
  static let ecdsaKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbkpggVEfDJcwpnr2
    WRwd5dhvFv7ZsSIiiYE7KQ0AsxuhRANCAARgb6NCVfAColbsni4XsF3NUTe7GRA+
    Gr3/NPOAKeCRxCU1mOwiBxw9AL7D1/uf7t010FNyfivAWQpeanEL3AuD
    -----END PRIVATE KEY-----
    """
  static let ecdsaPublicKey = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYG+jQlXwAqJW7J4uF7BdzVE3uxkQ
    Phq9/zTzgCngkcQlNZjsIgccPQC+w9f7n+7dNdBTcn4rwFkKXmpxC9wLgw==
    -----END PUBLIC KEY-----
    """
}
