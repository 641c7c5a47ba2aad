// swift-tools-version: 6.2
import PackageDescription

// What runs before Swift may, when nothing else can, and what the compiler calls by name: all that is C on a
// board.
let package = Package(
  name: "startup",
  products: [.library(name: "Startup", targets: ["Startup"])],
  targets: [.target(name: "Startup")]
)
