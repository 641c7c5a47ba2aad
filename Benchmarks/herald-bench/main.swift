import Foundation

if CommandLine.arguments.dropFirst().first == FleetBenchmark.importWord {
  try FleetBenchmark.fill()
  exit(0)
}
var figures = Figures()
// A word such as "core" or "energy" selects its figures; the others stay as they were written before.
let only = [
  "core", "energy", "model", "rooms", "archive", "link", "flood", "convert", "files", "fleet", "garbage",
]
.first {
  CommandLine.arguments.contains($0)
}
if only == nil || only == "archive" { try DatabaseBenchmark.run(&figures) }
// 100 million readings take minutes and 15 GB of room: only if asked for.
if only == "convert" { try ConvertBenchmark.run(&figures) }
if only == nil || only == "files" { try ConvertBenchmark.runFiles(&figures) }
if only == "garbage" { try SealedGarbageBenchmark.run(&figures) }
if only == "fleet" { try FleetBenchmark.run(&figures) }
if only == nil || only == "link" { try LinkBenchmark.run(&figures) }
if only == nil || only == "core" {
  AdvertisingBenchmark.run(&figures)
  ATTBenchmark.run(&figures)
  DeviceBenchmark.run(&figures)
}
if only == nil {
  try LogBenchmark.run(&figures)
  GrowthBenchmark.run(&figures)
  // With --full the crowds are simulated for 8 hours each.
  CrowdBenchmark.run(&figures, isFull: CommandLine.arguments.contains("--full"))
}
if only == nil || only == "flood" { try FloodBenchmark.run(&figures) }
if only == nil || only == "model" {
  RadioModelBenchmark.run(&figures, isFull: CommandLine.arguments.contains("--full"))
}
if only == nil || only == "rooms" {
  BadRoomBenchmark.run(&figures, isFull: CommandLine.arguments.contains("--full"))
}
if only == nil || only == "energy" {
  EnergyBenchmark.run(&figures, isFull: CommandLine.arguments.contains("--full"))
  FloodChargeBenchmark.run(&figures)
  NewcomerBenchmark.run(&figures, isFull: CommandLine.arguments.contains("--full"))
}
// Counted by a program of its own, whose heap nothing else touches; script/bench runs it first.
if let counted = try? Data(contentsOf: URL(fileURLWithPath: ".build/figures/allocations.json")),
  let count = try JSONDecoder().decode([String: Double].self, from: counted)["allocations_after_start"]
{
  figures.add("allocations_after_start", count, "")
}
try figures.write(to: ".build/figures/bench.json", keepingOthers: only != nil)
