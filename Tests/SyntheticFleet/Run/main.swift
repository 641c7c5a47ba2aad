import Foundation
import SyntheticFleet

// Writes the folders of a fleet of badges in a made-up hospital:
// `synthetic-fleet FOLDER DEVICES DAYS [MINUTES-A-DAY]`.
let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.dropFirst().compactMap { Int($0) }
guard let path = arguments.first, (2...3).contains(numbers.count), numbers.allSatisfy({ $0 > 0 }) else {
  print("usage: synthetic-fleet FOLDER DEVICES DAYS [MINUTES-A-DAY]")
  exit(64)
}
let readings = try SyntheticFleet(
  devices: numbers[0], days: numbers[1], minutes: numbers.count == 3 ? numbers[2] : 600
).write(to: path)
print("\(readings) readings")
