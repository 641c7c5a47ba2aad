import HeraldBluetooth
import HeraldEmbedded
import HeraldNeighbours
import Testing

@Suite("A GATT table composed at run time")
struct ComposedTableTests {
  @Test("Herald's services and both others fit, without a fault, and nothing more does")
  func whole() {
    var neighbours = CovidWatchAndC19X()
    var random = ScriptedRandom([])
    neighbours.covidWatch.isPeripheral = true
    neighbours.c19x.isPeripheral = true
    let codes = zeroSecretDayCodes(from: 0, days: 1)
    #expect(throws: Never.self) { try neighbours.c19x.provide(firstDay: 0, dayCodes: codes.span) }
    _ = neighbours.change(withAddress: true, random: &random, unixSeconds: 1_577_836_800)
    var table = CovidWatchAndC19X.Table()
    neighbours.serve(behind: HeraldGATTTable.database, in: &table)
    #expect(sizes(&table) == [30, 183])
    let fault = table.database.firstFault()
    #expect(fault == nil)
    let isAppended = table.appendService(UUID16(0x1234))
    #expect(!isAppended)
    #expect(sizes(&table) == [30, 183])
  }

  /// How many attributes and bytes a table has.
  private func sizes<let attributes: Int, let room: Int>(_ table: inout ComposedGATTTable<attributes, room>)
    -> [Int]
  {
    let database = table.database
    return [database.attributes.count, database.bytes.count]
  }

  @Test(
    "A service or characteristic that does not fit is left out as a whole; a base that does not leaves nothing"
  )
  func noRoom() {
    var table = ComposedGATTTable<24, 145>()
    var isDone = table.start(with: HeraldGATTTable.database, isFixed: true)
    #expect(isDone && sizes(&table) == [21, 122])
    isDone = table.appendService(UUID128(1, 2))
    #expect(isDone && sizes(&table) == [22, 138])
    isDone = table.appendCharacteristic(UUID128(3, 4), .read, longest: 0, tag: .beaconCode)
    #expect(!isDone && sizes(&table) == [22, 138])
    var small = ComposedGATTTable<23, 200>()
    isDone = small.start(with: HeraldGATTTable.database)
    #expect(!isDone && sizes(&small) == [0, 0])
    var narrow = ComposedGATTTable<24, 126>()
    isDone = narrow.start(with: HeraldGATTTable.database)
    #expect(!isDone && sizes(&narrow) == [0, 0])
  }
}
