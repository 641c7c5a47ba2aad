// swift-tools-version: 6.2
import PackageDescription

// The board this is for: a folder of Herald Embedded's `boards`, or one of your own that is like them.
let board = "mps2-an386"
// A package of your own says `.package(url: …, from: …)` in place of the path.
let herald = Package.Dependency.package(name: "herald-embedded", path: "../..")

let package = Package(
  name: "badge",
  dependencies: [herald, .package(path: "../../boards/\(board)")],
  targets: [
    .executableTarget(
      name: "Badge",
      dependencies: [.product(name: "Board", package: board)]
        + [
          "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHCI", "HeraldDeviceLink", "HeraldChips",
          "HeraldFirmware",
        ].map {
          .product(name: $0, package: "herald-embedded")
        },
      swiftSettings: [.enableExperimentalFeature("Lifetimes")])
  ],
  swiftLanguageModes: [.v6]
)
