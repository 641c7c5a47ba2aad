import Foundation

var figures = Figures()
// "energy" has that table only; what was written before of the other figures stays.
let onlyEnergy = CommandLine.arguments.contains("energy")
if !onlyEnergy {
  AdvertisingBenchmark.run(&figures)
  ATTBenchmark.run(&figures)
  DeviceBenchmark.run(&figures)
  try LogBenchmark.run(&figures)
  GrowthBenchmark.run(&figures)
  // With --full the crowds are simulated for 8 hours each.
  CrowdBenchmark.run(&figures, isFull: CommandLine.arguments.contains("--full"))
}
EnergyBenchmark.run(&figures)
// Counted by a program of its own, whose heap nothing else touches; script/bench runs it first.
if let counted = try? Data(contentsOf: URL(fileURLWithPath: ".build/figures/allocations.json")),
  let count = try JSONDecoder().decode([String: Double].self, from: counted)["allocations_after_start"]
{
  figures.add("allocations_after_start", count, "")
}
try figures.write(to: ".build/figures/bench.json", keepingOthers: onlyEnergy)
