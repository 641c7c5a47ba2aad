// swift-tools-version: 6.2
import PackageDescription

let board = "nrf52833dk"
// A package of your own says `.package(url: …, from: …)` in place of the path.
let herald = Package.Dependency.package(name: "herald-embedded", path: "../..")

let package = Package(
  name: "ibeacon",
  dependencies: [herald, .package(path: "../../boards/\(board)")],
  targets: [
    .executableTarget(
      name: "IBeacon",
      dependencies: [.product(name: "HCIBoard", package: board)]
        + ["HeraldBluetooth", "HeraldHAL", "HeraldHCI"].map { .product(name: $0, package: "herald-embedded") }
    )
  ],
  swiftLanguageModes: [.v6]
)
