import Foundation
import HeraldHostLink

// Writes what a pull of the log of a made-up day would leave, or of so many days:
// `synthetic-day FOLDER [DAYS]`. It is the same every time.
let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first, arguments.count <= 2, let days = Int(arguments.dropFirst().first ?? "1"),
  days > 0
else {
  print("usage: synthetic-day FOLDER [DAYS]")
  exit(64)
}
let folder = try PageStore(path: path, create: true)
var day = SyntheticDay()
for page in try day.pages(days: days) {
  try folder.store(
    page.bytes, as: PageName(epoch: SyntheticDay.epoch, sequence: page.sequence, isOpen: page.isOpen))
}
try folder.updateDevice {
  $0.serial = "5356dee2c5b85838"
  $0.name = "Herald wearable"
  $0.note(epoch: SyntheticDay.epoch)
}
