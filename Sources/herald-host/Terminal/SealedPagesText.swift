import HeraldConsole

/// What there is to say of sealed pages that were not opened; `nil` if there are none.
struct SealedPagesText {
  let what: String
  let advice: String

  init?(_ count: Int) {
    guard count > 0 else { return nil }
    what = "\(Console.count(count, "page")) are sealed and were not opened, or not whole"
    advice =
      "name the private key with --owner-key; if you did, they are sealed for another key or device, or are not of the days that were opened"
  }
}
