// swift-tools-version: 6.2
import PackageDescription

let archiving = Target.Dependency.product(name: "Archiving", package: "accountd")

let package = Package(
    name: "examples",
    dependencies: [.package(name: "accountd", path: "..")],
    targets: [
        .executableTarget(name: "feed-cache", dependencies: [archiving]),
        .executableTarget(name: "draft-box", dependencies: [archiving]),
    ]
)
