// swift-tools-version: 6.2
import PackageDescription

// scripts/fuzz sets this. All modules are then built for libFuzzer and the address sanitizer, with
// what tests see of them, in a build folder of their own.
let isFuzzing = Context.environment["ACCOUNTD_FUZZ"] != nil

let rules: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
    ] + (isFuzzing ? [.unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing"])] : [])
let rulesOfC: [CSetting] =
    [.treatAllWarnings(as: .error)]
    + (isFuzzing ? [.unsafeFlags(["-fsanitize=address,fuzzer-no-link"])] : [])

// Of the client alone, on which no test target depends: a test bundle takes over the linker
// settings of what it depends on. Release only, so that sanitizers and debug builds link as usual.
let staticPIE: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-executable", "-use-ld=lld", "-Xclang-linker", "-static-pie",
            "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
        ], .when(configuration: .release))
]

// The daemon stays dynamic towards glibc and libsodium, so that the distribution's security updates
// reach it; code that it never calls is left out. Functions are found at the start, not at their
// first call: then the linker would save the vector registers, with what is left in them of a key.
let lean: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "--as-needed",
            "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z", "-Xlinker",
            "pack-relative-relocs", "-Xclang-linker", "-static-libgcc",
            // scripts/build puts the C++ library's archive there, for the Swift runtime's C++
            // parts; where it is missing the shared library serves.
            "-L.build/static",
        ],
        .when(configuration: .release))
]

func library(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []
) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: rules)
}

func program(
    _ name: String, _ dependencies: [Target.Dependency], linker: [LinkerSetting]
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, swiftSettings: rules, linkerSettings: linker)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: rules)
}

let package = Package(
    name: "accountd",
    products: [
        .executable(name: "accountd", targets: ["accountd"]),
        .executable(name: "account", targets: ["account"]),
        .executable(name: "account-import", targets: ["account-import"]),
        .executable(name: "account-archive", targets: ["account-archive"]),
        .library(name: "Archiving", targets: ["Archiving"]),
    ],
    targets: [
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .target(name: "CLinux", cSettings: rulesOfC),
        .target(
            name: "SecretMemory", dependencies: ["CSodium", "CLinux"],
            swiftSettings: rules + [.enableExperimentalFeature("Lifetimes")]),
        library("LinuxSystem", ["CLinux", "SecretMemory"]),
        library("JSON", ["SecretMemory"]),
        library("PropertyList", ["SecretMemory"]),
        library("Sealing", ["CSodium", "SecretMemory", "PropertyList"]),
        library("Varlink", ["SecretMemory", "JSON"]),
        library("Accounts", ["SecretMemory", "JSON", "PropertyList"]),
        library(
            "AccountService", ["SecretMemory", "JSON", "Varlink", "Accounts", "Sealing"],
            resources: [
                .embedInCode("Interfaces/org.accountd.Account.varlink"),
                .embedInCode("Interfaces/org.accountd.Keys.varlink"),
            ]),
        library(
            "AccountDaemon",
            [
                "SecretMemory", "LinuxSystem", "Sealing", "JSON", "Varlink", "Accounts",
                "AccountService",
            ]),
        library("AccountCommands", ["SecretMemory", "LinuxSystem", "JSON", "Varlink", "Accounts"]),
        library(
            "AccountImport",
            [
                "CExpat", "SecretMemory", "LinuxSystem", "JSON", "PropertyList", "Accounts",
                "AccountCommands",
            ]),
        library(
            "Archiving",
            ["SecretMemory", "LinuxSystem", "JSON", "PropertyList", "Sealing", "Varlink"]),
        library(
            "ArchiveImport",
            [
                "SecretMemory", "PropertyList", "Accounts", "AccountCommands", "AccountImport",
                "Archiving",
            ]),
        library(
            "ArchiveCommands",
            [
                "SecretMemory", "LinuxSystem", "JSON", "Varlink", "AccountCommands",
                "AccountImport", "Archiving", "ArchiveImport",
            ]),
        program("accountd", ["AccountDaemon"], linker: lean),
        program("account", ["AccountCommands"], linker: staticPIE),
        program("account-import", ["AccountImport"], linker: lean),
        program("account-archive", ["ArchiveCommands"], linker: lean),

        .target(
            name: "TestSupport", dependencies: ["SecretMemory"], path: "Tests/TestSupport",
            swiftSettings: rules),
        .target(
            name: "TestStore", dependencies: ["AccountService", "Sealing", "SecretMemory"],
            path: "Tests/TestStore", swiftSettings: rules),
        tests("SecretMemoryTests", ["SecretMemory"]),
        tests("LinuxSystemTests", ["LinuxSystem", "SecretMemory"]),
        tests("JSONTests", ["JSON", "SecretMemory"]),
        tests("PropertyListTests", ["PropertyList", "SecretMemory"]),
        tests("SealingTests", ["Sealing", "PropertyList", "SecretMemory"]),
        tests("VarlinkTests", ["Varlink", "JSON", "SecretMemory"]),
        tests("AccountsTests", ["Accounts", "JSON", "PropertyList", "SecretMemory"]),
        tests(
            "AccountServiceTests",
            [
                "AccountService", "Accounts", "Sealing", "Varlink", "JSON", "SecretMemory",
                "TestStore",
            ]),
        tests(
            "AccountDaemonTests",
            ["AccountDaemon", "AccountService", "LinuxSystem", "Sealing", "SecretMemory"]),
        tests(
            "AccountCommandsTests",
            ["AccountCommands", "Accounts", "LinuxSystem", "SecretMemory", "JSON", "Varlink"]),
        tests(
            "AccountImportTests",
            [
                "AccountImport", "AccountCommands", "Accounts", "JSON", "LinuxSystem",
                "PropertyList", "SecretMemory",
            ]),
        tests(
            "ArchivingTests",
            [
                "Archiving", "JSON", "LinuxSystem", "PropertyList", "Sealing", "SecretMemory",
                "TestStore",
            ]),
        tests(
            "ArchiveImportTests",
            [
                "ArchiveImport", "Archiving", "AccountImport", "JSON", "PropertyList",
                "SecretMemory",
            ]),
        tests(
            "ArchiveCommandsTests",
            ["ArchiveCommands", "AccountCommands", "Archiving", "LinuxSystem", "SecretMemory"]),
        tests("EndToEndTests", []),
        // What other Varlink implementations certify ours with. Tests/Interoperation runs it.
        .executableTarget(
            name: "certification",
            dependencies: ["Varlink", "JSON", "SecretMemory", "LinuxSystem"],
            path: "Tests/Certification", swiftSettings: rules),
        // Reads archives over and over. scripts/bench runs it.
        .executableTarget(
            name: "archive-speed",
            dependencies: ["AccountImport", "LinuxSystem", "SecretMemory"],
            path: "Tests/Benchmarks/ArchiveSpeed", swiftSettings: rules),
        // Archives values in one process and restores them in another. Tests/Archives runs it.
        .executableTarget(
            name: "archive-exchange", dependencies: ["Archiving"], path: "Tests/ArchiveExchange",
            swiftSettings: rules),
        // Moves archives part by part. scripts/bench runs it.
        .executableTarget(
            name: "stream-speed", dependencies: ["Archiving", "LinuxSystem", "SecretMemory"],
            path: "Tests/Benchmarks/StreamSpeed", swiftSettings: rules),
        // Archives structs and restores them, by turns with Foundation's coders. scripts/bench runs it.
        .executableTarget(
            name: "struct-speed",
            dependencies: ["Archiving", "LinuxSystem", "SecretMemory"],
            path: "Tests/Benchmarks/StructSpeed", swiftSettings: rules),
    ],
    swiftLanguageModes: [.v6]
)

// The bodies look into modules as tests do, which only a test target of the same build may: so they
// are a part of one, and a library of their own where a program is made of them.
let fuzzed: [Target.Dependency] = [
    "AccountCommands", "AccountDaemon", "AccountImport", "AccountService", "Accounts",
    "ArchiveImport", "Archiving", "JSON", "LinuxSystem", "PropertyList", "Sealing", "SecretMemory",
    "TestStore", "Varlink",
]
if isFuzzing {
    package.targets += [
        .target(
            name: "FuzzBodies", dependencies: fuzzed, path: "Tests/Fuzz/Bodies",
            swiftSettings: rules),
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzBodies", "LinuxSystem"], path: "Tests/Fuzz/Driver",
            swiftSettings: rules + [.unsafeFlags(["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
    ]
} else {
    package.targets.append(
        .testTarget(
            name: "FuzzTests", dependencies: fuzzed + ["TestSupport"], path: "Tests/Fuzz",
            sources: ["Bodies", "Cases"], swiftSettings: rules))
}
