// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "air-device",
  dependencies: [
    .package(name: "herald-embedded", path: "../../../.."), .package(path: "../../../../boards/nrf52833dk"),
    .package(path: "../../../../boards/startup"),
  ],
  targets: [
    .executableTarget(
      name: "AirDevice",
      dependencies: [
        .product(name: "HCIBoard", package: "nrf52833dk"), .product(name: "Startup", package: "startup"),
      ]
        + ["HeraldHAL", "HeraldBluetooth", "HeraldLinkLayer", "HeraldChips"].map {
          .product(name: $0, package: "herald-embedded")
        },
      swiftSettings: [.enableExperimentalFeature("Lifetimes"), .define("NRF52")])
  ],
  swiftLanguageModes: [.v6]
)
