import TestInputs
import Testing

@testable import HeraldEmbedded

// The pages of LogFormatTests.swift as version 2 of the format had them. Tests/Interop/log_format_test.py
// reads these lines too.

private let goldenPage2 = """
  484c6f67020403004433221101000000010000000a0000000000000000000000
  000000007ebfb261bb2fff6b84e398ef55bc229fe73aaff47db9dfb185ca4173
  642f34a23d7be08e2430d23dd51496a5e6ee8a1f54f1144ea567f7c2a4a7553f
  12928cbc1f50ffff8b163baf4bd8a45e5fffbbbb1a87ffff007c000102030405
  060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425
  262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445
  464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465
  666768696a6b6c6d6e6f707172737475767778797a7b93b200067c7d7e7f8081
  7a2dffff9d735dcdae83c20ae8b28a1386b6e4f6e1eaeaf33be5f0dfc32f6540
  7d16372fffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  484c6f67020403004433221101000000020000001e0000000000000000000000
  00000000ad800dfc832fffefd8c1ffff0002dead2a35ffff9c8630e5bc19f7d5
  be3fd5c42f0f32e7939cd670b6e4a4ed832772d2a963fcff
  """

private let laterPage2 = """
  484c6f6702040300887766550100000001000000e80300000000000000000000
  00000000e4a5164300026869ae3bffff8c17d97d38f4b06ffbfd208692d40cff
  0009534d2d41343035464ee5daffffff83159af4a53dffff0010c0c1c2c3c4c5
  c6c7c8c9cacbcccdcecf2a298316adb545aeffff0008d0d1d2d3d4d5d6d78434
  851b1ab0f18e3a200010e0e1e2e3e4e5e6e7e8e9eaebecedeeef39bb8407c52a
  18b750ff0008f0f1f2f3f4f5f6f7e55f9709a8380d3167edfb3a6dedf3011c28
  60d33b8ff9c294c036d2ffff
  """

private let crowdedPage2 = """
  484c6f6702044000ccbbaa990100000001000000e80300000000000000000000
  0000000070e49bc37dfd97d38f4b06ffe47cc584f82b5e9b755216498245cf80
  db4eab350faa84950b7b7f2d97151aa96190b2e0aa76f6396ae0a45d2827b0d4
  08ab1c9657509672ed802c860e912bd22ff683283ababbe9b2289be06da3edf8
  dc9a47a6ebb5e6129b3f922567902dead8f2f256cd4e5fc48668ab4c3fff80c7
  7ccb363663a5f9347dd919b4313e80a2394198405c6735564d5ffb11249fc60b
  60c9fe24400329c54539a20f764518c04d444205ece280cdf1f60246e7cc33b9
  793e54ba041ab2ba98c762f4bdc6c0d0c1c02c263673ff17cbd406e2d225f382
  d418024e973a61f360b70a08b3e299da70a91faec087cc5b81d9f4ab4020fb7b
  fe56392c83b61e36d0d8316967df75913f2afcdc34754fb372c60a7431394ad9
  cbbc2153628b0b827844e8aed7c0330186dfc44207796c605a0dbe262f0b6773
  bba33c41d08398987ae573a87265f7c381ed9c5a696dad40bd192aff
  """

private let restartPage2 = """
  484c6f6702040300ccbbaa990100000001000000000000000000000000000000
  0000000064a22998832ffe6f2101ffff002006010300050000004d0000007289
  00003f0300000300002110000000f8ffff1fd4ae830e9c158fb3ffff
  """

private let motionPage2 = """
  484c6f6702040300aa55aa550100000001000000000000000000000000000000
  00000000551d43f98f2fffc3f69c43900b1534429819f54cd75effff
  """

@Suite("Log pages of version 2")
struct LogVersion2Tests {
  @Test(
    "A page of version 2 decodes to the records of the same page of the present version",
    arguments: [
      (goldenPage2, writeGoldenPage),
      (laterPage2, writeLaterPage),
      (crowdedPage2, writeCrowdedPage),
      (restartPage2, writeRestartPage),
      (motionPage2, writeMotionPage),
    ])
  func records(lines: String, write: @Sendable () throws -> [UInt8]) throws {
    let old = try #require(decode(page: hexBytes(lines)))
    let new = try #require(decode(page: try write()))
    #expect(old.header.version == 2 && new.header.version == 3)
    #expect(old.records == new.records && !old.records.isEmpty)
    #expect(old.ending == .complete && old.boots == new.boots)
  }
}
