// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "sealing-work",
  dependencies: [
    .package(name: "herald-embedded", path: "../../../.."), .package(path: "../../../../boards/microbit"),
    .package(path: "../../../../boards/startup"),
  ],
  targets: [
    .executableTarget(
      name: "SealingWork",
      dependencies: [
        .product(name: "HCIBoard", package: "microbit"), .product(name: "Startup", package: "startup"),
      ]
        + ["HeraldHAL", "HeraldCrypto", "HeraldBluetooth", "HeraldEmbedded"].map {
          .product(name: $0, package: "herald-embedded")
        },
      swiftSettings: [.enableExperimentalFeature("Lifetimes")])
  ],
  swiftLanguageModes: [.v6]
)
