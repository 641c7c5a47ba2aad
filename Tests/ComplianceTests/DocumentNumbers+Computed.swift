import Foundation

/// Numbers that follow from several of the project's.
extension DocumentNumbers {
  /// What is wrong with the numbers that are computed.
  func wrongComputations() -> [String] {
    firstWords() + bootLoaderRegions() + bounds() + counts() + exitStatuses() + index()
  }

  /// The memory map of a board, by the file that it is linked with.
  private func map(of board: String) -> String {
    let facts = "boards/\(board)/board.json"
    let name =
      matches("\"map\": \"([^\"]+)\"", in: facts).first ?? matches("\"chip\": \"([^\"]+)\"", in: facts)[0]
    return "linker/\(name[0]).ld"
  }

  /// The first address of a region, and the one behind it.
  private func region(_ name: String, of board: String) -> (start: Int, end: Int) {
    let pattern = "\(name) \\(\\w+\\) : ORIGIN = (\\w+), LENGTH = "
    let start = number(pattern, in: map(of: board))
    let length =
      matches("\(name) \\(\\w+\\) : ORIGIN = \\w+, LENGTH = (\\w+)", in: map(of: board)).first ?? ["0"]
    return (start, start + (Int(Self.value(length[0])) ?? 0))
  }

  /// The first word of an image: the top of its stack, which is at the bottom of RAM.
  private func firstWord(_ board: String, _ role: String) -> Int {
    let facts = "boards/\(board)/board.json"
    let stacks = [
      number("\"\(role)\": (\\d+)", in: facts), number("\"stack\": (\\d+)", in: facts),
      number("stack_size = (?:DEFINED\\(board_stack\\) \\? board_stack : )?(\\w+);", in: map(of: board)),
    ]
    return region("RAM", of: board).start + (stacks.first { $0 > 0 } ?? 0)
  }

  private func firstWords() -> [String] {
    let images = [
      ("nrf52840dk, all roles", "nrf52840dk", "wearable"),
      ("nrf52833dk `wearable`, `beacon`", "nrf52833dk", "wearable"),
      ("nrf52833dk `wearable-hci`, `beacon-hci`", "nrf52833dk", "wearable-hci"),
      ("nrf52833dk `controller`", "nrf52833dk", "controller"), ("microbit", "microbit", "wearable"),
    ]
    return images.flatMap { title, board, role in
      complaints(
        "docs/porting.md", "\\| \(title) \\| (\\w+) \\| (\\w+) \\|",
        [firstWord(board, role), region("FLASH", of: board).end].map(String.init),
        ["boards/\(board)/board.json", map(of: board)])
    }
  }

  private func bootLoaderRegions() -> [String] {
    let boards = ["nrf52840-dongle", "xiao-nrf52840", "feather-nrf52840"]
    func rows(_ title: String, _ name: String, _ boards: [String]) -> [String] {
      let cells = String(repeating: " \\| (\\w+) to (\\w+)", count: boards.count)
      let regions = boards.map { region(name, of: $0) }
      return complaints(
        "docs/boards.md", "\\| \(title)\(cells)", regions.flatMap { ["\($0.start)", "\($0.end - 1)"] },
        boards.map(map))
    }
    return rows("image", "FLASH", boards) + rows("settings", "SETTINGS", boards)
      + rows("log", "LOG", Array(boards.prefix(1)))
  }

  /// The bound of Kindt and Chakraborty for a latency of 30 s, of each chip.
  private func bounds() -> [String] {
    let model = "Sources/HeraldEnergy/EnergyModel.swift"
    func constant(_ pattern: String, _ path: String) -> Double {
      matches(pattern, in: path).first.flatMap { Double($0[0]) } ?? 0
    }
    let charge = constant("measuredAdvertisingEvent: Double \\{ (\\S+) \\}", model)
    let currents = [
      constant("model\\.receiving = (\\S+)", model), constant("var receiving = (\\S+)", model),
      constant("model\\.receiving = (\\S+)", "Sources/HeraldEnergy/EnergyModel+NRF51.swift"),
    ]
    let bounds = currents.map { Int((2 * (charge * $0 * 1000 / 30).squareRoot()).rounded()) }
    let interval = Int((1000 * (charge * 30 / (currents[0] * 1000)).squareRoot()).rounded())
    return complaints(
      "docs/energy.md",
      "the bound is (\\d+) µA on the nRF52840, (\\d+) µA on the nRF52833, and (\\d+) µA .*? T = (\\d+) ms",
      (bounds + [interval]).map(String.init), [model])
  }

  private func counts() -> [String] {
    let budget = "Sources/HeraldEmbedded/Coordinator/Peers/StrangerBudget.swift"
    let scanBudget = "Sources/HeraldEmbedded/Coordinator/Peers/ScanBudget.swift"
    let identities = 64 * number("identityLimit: UInt32 \\{ size &\\* (\\d+)", in: budget)
    let readings = 64 * number("readingLimit: UInt32 \\{ size &\\* (\\d+)", in: budget)
    let rest = number("rest: UInt32 \\{ (\\w+) \\}", in: scanBudget)
    let limits = ["busyLimit: UInt32 \\{ rest", "limit: UInt32 \\{ rest"].map {
      rest + number("\($0) &\\+ (\\d+)", in: scanBudget)
    }
    let start = rest - number("atStart: UInt32 \\{ rest &- (\\d+)", in: scanBudget)
    let tests = matches("TESTS = \\{(.*?)\\}", in: "Tests/Air/edtt_suite.py").first ?? [""]
    let requirements = Self.matches("- \\*\\*HP-(\\d+)\\*\\*", of: text("docs/compliance.md")).count
    return complaints(
      "docs/architecture.md", "identities in the table \\| (\\S+) \\| .*? readings \\| (\\S+) \\|",
      ["\(identities)", "\(readings)"], [budget])
      + complaints(
        "docs/architecture.md",
        "\\| start \\| (\\S+) \\| From (\\S+) there is no additional scanning\\. From (\\S+) the",
        ["\(start)", "\(limits[0])", "\(limits[1])"], [scanBudget])
      + complaints(
        "docs/link-layer.md", "runs (\\d+) conformance tests of EDTT",
        ["\(Self.matches("[ \"]([0-9]{2})\\b", of: tests[0]).count)"], ["Tests/Air/edtt_suite.py"])
      + complaints("README.md", "All (\\d+) requirements", ["\(requirements)"], ["docs/compliance.md"])
  }

  /// The causes of errors and their exit statuses, in the tables of two documents.
  private func exitStatuses() -> [String] {
    let link = "Sources/HeraldHostLink/HostLinkError.swift"
    let flash = "Sources/herald-flash/FlashProgram.swift"
    let names = Dictionary(
      matches("case (\\w+) = \"([a-z-]+)\"", in: link).map { ($0[0], $0[1]) },
      uniquingKeysWith: { first, _ in first })
    func missing(_ document: String, _ path: String) -> [String] {
      let statuses = matches("case \\.(\\w+): (\\d+)\\b", in: path)
      guard statuses.count > 6 else { return ["\(path) has \(statuses.count) exit statuses"] }
      return statuses.compactMap { status in
        let name = names[status[0]] ?? status[0].replacing(/[A-Z]/) { "-" + $0.output.lowercased() }
        let row = "\\| \(status[1]) \\| [^|]*`\(name)`()"
        return matches(row, in: document).isEmpty
          ? "\(document) has no exit status \(status[1]), `\(name)`" : nil
      }
    }
    return missing("docs/herald-host.md", link)
      + missing("docs/herald-flash.md", link)
      .filter { !$0.contains("`unrecorded`") }
      + missing("docs/herald-flash.md", flash)
  }

  /// docs/README.md lists the other documents, each once.
  private func index() -> [String] {
    let listed = matches("- \\[[^\\]]+\\]\\(([a-z-]+\\.md)\\)", in: "docs/README.md").map { "docs/" + $0[0] }
      .sorted()
    let there = Self.allDocuments.filter { $0 != "docs/README.md" }
    return listed == there ? [] : ["docs/README.md lists \(listed), there are \(there)"]
  }

  /// The documents in docs, by their paths.
  static let allDocuments = DocumentReferences.ofThisPackage.files
    .filter { $0.hasPrefix("docs/") && $0.hasSuffix(".md") }.sorted()
}
