import Foundation

/// Nanoseconds that one of `count` repetitions inside `body` takes: the fastest of several runs, which is the
/// one least disturbed by whatever else the machine does.
func nanoseconds(per count: Int, runs: Int = 7, _ body: () -> Void) -> Double {
  var best = Double.infinity
  for _ in 0..<runs {
    let start = DispatchTime.now().uptimeNanoseconds
    body()
    best = min(best, Double(DispatchTime.now().uptimeNanoseconds - start) / Double(count))
  }
  return best
}

/// Keeps the optimiser from throwing away what was computed.
@inline(never)
func keep<Value>(_ value: Value) {}

/// The figures of one run: printed as a table, written as flat JSON.
struct Figures {
  private var rows: [(name: String, value: Double, unit: String)] = []

  mutating func add(_ name: String, _ value: Double, _ unit: String) {
    rows.append((name, value, unit))
    let text = String(format: "%.2f", value)
    let padding = String(repeating: " ", count: max(1, 34 - name.count))
    print("  \(name)\(padding)\(String(repeating: " ", count: max(0, 12 - text.count)))\(text) \(unit)")
  }

  func write(to path: String, keepingOthers: Bool) throws {
    var object: [String: Double] = [:]
    if keepingOthers, let data = try? Data(contentsOf: URL(fileURLWithPath: path)) {
      object = try JSONDecoder().decode([String: Double].self, from: data)
    }
    for row in rows { object[row.name] = row.value }
    let data = try JSONSerialization.data(withJSONObject: object, options: [.prettyPrinted, .sortedKeys])
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    print("written: \(path)")
  }
}
