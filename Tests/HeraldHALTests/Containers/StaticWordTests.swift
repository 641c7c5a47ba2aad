import HeraldHAL
import Testing

@Suite("Words of a text in flash")
struct StaticWordTests {
  private static let text: StaticString = """
    one two_2
    three
    """

  @Test("Words are told by their number, whatever is between them")
  func words() {
    #expect((0..<3).map { "\(StaticWord($0, of: Self.text))" } == ["one", "two_2", "three"])
    let word = StaticWord(1, of: Self.text)
    #expect((0..<word.count).map { word[$0] } == [0x74, 0x77, 0x6F, 0x5F, 0x32])
  }

  @Test("Before the first and behind the last there is none", arguments: [-1, 3, 4, Int.max, Int.min])
  func beyond(index: Int) {
    #expect(StaticWord(index, of: Self.text).count == 0)
    #expect(StaticWord(index, of: "").count == 0)
  }

  @Test("Bytes are found among the words only if they are one of them, whole")
  func search() {
    func index(_ text: String) -> Int? { StaticWord.index(of: Array(text.utf8).span, in: Self.text) }
    #expect(["one", "two_2", "three"].map(index) == [0, 1, 2])
    #expect(["", "on", "ones", "two", "hree", "three ", "one two_2", "One"].allSatisfy { index($0) == nil })
    #expect(StaticWord.index(of: Array("one".utf8).span, in: "") == nil)
  }

  @Test("A literal is a word as a whole")
  func literal() {
    let word: StaticWord = "all of it"
    #expect("\(word)" == "all of it")
    #expect(("" as StaticWord).count == 0)
  }
}
