// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "svc_device",
  platforms: [.iOS("15.1")],
  products: [.library(name: "svc-device", targets: ["svc_device", "SvcDevice"])],
  dependencies: [.package(name: "FlutterFramework", path: "../FlutterFramework")],
  targets: [
    // A copy of the shell, made before the build: Flutter links this folder elsewhere, so a path out of it leads nowhere.
    .target(name: "SvcDevice", resources: [.process("Resources")]),
    .target(
      name: "svc_device",
      dependencies: ["SvcDevice", .product(name: "FlutterFramework", package: "FlutterFramework")]),
  ]
)
