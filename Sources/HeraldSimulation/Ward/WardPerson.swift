/// Somebody of a practice ward.
public struct WardPerson: Equatable, Sendable {
  /// The name, different for each.
  public let name: String
  /// `nurse`, `doctor`, `cleaner` or `patient`.
  public let role: String
  /// The ward, such as `Ward 1`.
  public let place: String
  /// The minutes of each day in which the person is on the wards and wears a badge.
  public let shift: Range<Int>
  /// The ward as a number from 0 on.
  let ward: Int

  /// The minutes of the early shift of nurses.
  private static let early = 360..<870
  /// The minutes of the late shift of nurses.
  private static let late = 810..<1320
  private static let names = [
    "Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan", "Kim", "Leo", "Mia", "Noah",
    "Olga", "Paul", "Quinn", "Rosa", "Sam", "Tess", "Uwe", "Vera", "Will", "Xenia", "Yara", "Zoe",
  ]
  private static let posts: [(role: String, ward: Int, shift: Range<Int>)] = [
    ("nurse", 0, early), ("nurse", 0, late), ("nurse", 0, early), ("doctor", 0, 480..<1020),
    ("patient", 0, 420..<1290), ("cleaner", 0, 420..<900), ("nurse", 1, early), ("nurse", 1, late),
    ("nurse", 1, early), ("doctor", 1, 480..<1020), ("patient", 1, 420..<1290),
  ]

  /// The person with this number, from 0 on: two wards have eleven.
  init(_ number: Int) {
    let post = Self.posts[number % Self.posts.count]
    let round = number / Self.names.count
    name = Self.names[number % Self.names.count] + (round > 0 ? " \(round + 1)" : "")
    role = post.role
    ward = number / Self.posts.count * 2 + post.ward
    place = "Ward \(ward + 1)"
    shift = post.shift
  }
}
