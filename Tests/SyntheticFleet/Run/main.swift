import Foundation
import SyntheticFleet

// Writes the folders of a fleet of badges in a made-up hospital: `synthetic-fleet FOLDER DEVICES DAYS`.
let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.dropFirst().compactMap { Int($0) }
guard let path = arguments.first, numbers.count == 2, numbers.allSatisfy({ $0 > 0 }) else {
  print("usage: synthetic-fleet FOLDER DEVICES DAYS")
  exit(64)
}
let readings = try SyntheticFleet(devices: numbers[0], days: numbers[1]).write(to: path)
print("\(readings) readings")
