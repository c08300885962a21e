// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "SvcDevice",
  platforms: [.iOS(.v15)],
  products: [.library(name: "SvcDevice", targets: ["SvcDevice"])],
  targets: [
    .target(name: "SvcDevice", resources: [.copy("Resources/PrivacyInfo.xcprivacy")]),
    .testTarget(name: "SvcDeviceTests", dependencies: ["SvcDevice"]),
  ],
  swiftLanguageModes: [.v6]
)
