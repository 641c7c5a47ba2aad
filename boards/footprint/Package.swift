// swift-tools-version: 6.2
import PackageDescription

// Images that exist to be measured: `script/footprint` links them for both Cortex-M families and compares
// them. What an image takes beyond `Empty` is what is in it.
let core: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"), .enableExperimentalFeature("SuppressedAssociatedTypes"),
]
let bluetooth = Target.Dependency.product(name: "HeraldBluetooth", package: "herald-embedded")
let hal = Target.Dependency.product(name: "HeraldHAL", package: "herald-embedded")
let embedded = Target.Dependency.product(name: "HeraldEmbedded", package: "herald-embedded")
let hci = Target.Dependency.product(name: "HeraldHCI", package: "herald-embedded")
let neighbours = Target.Dependency.product(name: "HeraldNeighbours", package: "herald-embedded")
let link = Target.Dependency.product(name: "HeraldDeviceLink", package: "herald-embedded")
let startup = Target.Dependency.product(name: "Startup", package: "startup")

let package = Package(
  name: "footprint",
  dependencies: [.package(name: "herald-embedded", path: "../.."), .package(path: "../startup")],
  targets: [
    .target(name: "Placeholders"),
    .target(
      name: "Board", dependencies: ["Placeholders", startup, hal, bluetooth, embedded, hci, link],
      swiftSettings: core),
    .target(
      name: "MeasuredHost", dependencies: ["Board", hal, bluetooth, embedded, hci], swiftSettings: core),
    .executableTarget(name: "Empty", dependencies: [startup], swiftSettings: core),
    .executableTarget(name: "HostOne", dependencies: ["MeasuredHost"], swiftSettings: core),
    .executableTarget(name: "HostFive", dependencies: ["MeasuredHost"], swiftSettings: core),
    .executableTarget(
      name: "WearableFull", dependencies: ["Board", hal, embedded, neighbours, link], swiftSettings: core),
    // The same sources, with a log that cannot be sealed.
    .executableTarget(
      name: "WearableUnsealed", dependencies: ["Board", hal, embedded, neighbours, link],
      swiftSettings: core + [.define("UNSEALED")]),
    .executableTarget(name: "SealingKeys", dependencies: ["Board", embedded], swiftSettings: core),
  ],
  swiftLanguageModes: [.v6]
)
