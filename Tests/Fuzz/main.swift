import Foundation
import HostileInputs

// One program for all fuzz targets. Built by `script/fuzz` it is driven by libFuzzer; built with everything
// else it runs the same targets over their seed corpus and a fixed number of mutations of it, which is how
// the seeds stay valid.
//
//   herald-fuzz TARGET [libFuzzer options]
//   herald-fuzz TARGET --write-seeds FOLDER
//   herald-fuzz --list

guard CommandLine.arguments.count >= 2, let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
  if CommandLine.arguments.dropFirst().first == "--list" {
    FuzzTarget.allCases.forEach { print($0.rawValue) }
    exit(0)
  }
  FileHandle.standardError.write(
    Data("usage: herald-fuzz TARGET [options]; herald-fuzz --list names the targets\n".utf8))
  exit(64)
}
FuzzTarget.chosen = target

if CommandLine.arguments.count == 4, CommandLine.arguments[2] == "--write-seeds" {
  let folder = URL(fileURLWithPath: CommandLine.arguments[3])
  for (number, seed) in target.seeds.enumerated() {
    try Data(seed).write(to: folder.appendingPathComponent("seed-\(number)"))
  }
  exit(0)
}

#if FUZZING
  @_silgen_name("LLVMFuzzerRunDriver")
  func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt

  // libFuzzer must not see the target's name, which it would take for a corpus folder.
  var arguments = CommandLine.unsafeArgv + 1
  arguments[0] = CommandLine.unsafeArgv[0]
  var count = CommandLine.argc - 1
  exit(
    runDriver(
      &count, &arguments,
      { start, count in
        FuzzTarget.chosen.run(Span(_unsafeStart: start.unsafelyUnwrapped, count: start == nil ? 0 : count))
        return 0
      }))
#else
  var mutations = Mutations(seed: 1)
  for seed in target.seeds {
    target.run(seed.span)
    for _ in 0..<20_000 { target.run(mutations.mutated([seed]).span) }
  }
  print(
    "\(target.rawValue): \(target.seeds.count) seeds and \(target.seeds.count * 20_000) mutations of them")
#endif
