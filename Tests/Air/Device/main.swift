import Foundation
import HeraldLinux

// A device with a link layer for the medium of this folder, or several with a medium in this process:
//
//   air-device SIMULATION:N [NAME=VALUE]…
//   air-device medium SECONDS [loss=N] [collide=1] DEVICES [NAME=VALUE]…
//
// The words are those of `DeviceSettings`. The second form writes all transmitted packets to standard output;
// `loss` is in 1 / 100,000. Counts are written to standard error.
let words = CommandLine.arguments.dropFirst()

func fail(_ text: String) -> Never {
  FileHandle.standardError.write(Data("air-device: \(text)\n".utf8))
  exit(64)
}

guard let first = words.first else { fail("no simulation and number of a device are given") }
do {
  if first == "medium" {
    try InProcessSimulation(words.dropFirst()).run()
  } else {
    print(try PhyHost(PhyAddress(first), DeviceSettings(words.dropFirst())).run())
  }
} catch let failure as DeviceSettings.Failure {
  fail("'\(failure.word)' is not understood")
} catch {
  fail("\(error)")
}
