// swift-tools-version: 6.2
import PackageDescription

let herald = [
  "HeraldHAL", "HeraldBluetooth", "HeraldEmbedded", "HeraldHCI", "HeraldLinkLayer", "HeraldDeviceLink",
  "HeraldChips", "HeraldFirmware",
].map {
  Target.Dependency.product(name: $0, package: "herald-embedded")
}

// What the boards with an nRF52 and a Bluetooth controller on their header have in common. A board's own
// package says which one it is.
let package = Package(
  name: "nrf52",
  products: [.library(name: "NRF52Kits", targets: ["NRF52Kits"])],
  dependencies: [.package(name: "herald-embedded", path: "../.."), .package(path: "../startup")],
  targets: [
    .target(
      name: "NRF52Kits", dependencies: herald + [.product(name: "Startup", package: "startup")],
      swiftSettings: [
        .enableExperimentalFeature("Lifetimes"), .enableExperimentalFeature("SuppressedAssociatedTypes"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
