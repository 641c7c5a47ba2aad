import Foundation

var figures = Figures()
// "energy" and "archive" have that figure only; what was written before of the others stays.
let onlyEnergy = CommandLine.arguments.contains("energy")
let onlyArchive = CommandLine.arguments.contains("archive")
if !onlyEnergy { try ArchiveBenchmark.run(&figures) }
if !onlyEnergy, !onlyArchive {
  AdvertisingBenchmark.run(&figures)
  ATTBenchmark.run(&figures)
  DeviceBenchmark.run(&figures)
  try LogBenchmark.run(&figures)
  GrowthBenchmark.run(&figures)
  // With --full the crowds are simulated for 8 hours each.
  CrowdBenchmark.run(&figures, isFull: CommandLine.arguments.contains("--full"))
}
if !onlyArchive { EnergyBenchmark.run(&figures) }
// Counted by a program of its own, whose heap nothing else touches; script/bench runs it first.
if let counted = try? Data(contentsOf: URL(fileURLWithPath: ".build/figures/allocations.json")),
  let count = try JSONDecoder().decode([String: Double].self, from: counted)["allocations_after_start"]
{
  figures.add("allocations_after_start", count, "")
}
try figures.write(to: ".build/figures/bench.json", keepingOthers: onlyEnergy || onlyArchive)
