// swift-tools-version: 6.2
// The house: few deep modules whose arrows point one way only. `scripts/check-imports` compares every `import` line with
// this file, because SwiftPM alone lets undeclared imports through.
import PackageDescription

let house: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

func module(_ name: String, _ dependencies: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies.map { .byName(name: $0) }, swiftSettings: house)
}

func program(_ name: String, _ dependencies: [String]) -> Target {
    .executableTarget(name: name, dependencies: dependencies.map { .byName(name: $0) }, swiftSettings: house)
}

func tests(of name: String, _ dependencies: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: ([name] + dependencies).map { .byName(name: $0) },
        exclude: ["Fixtures"],
        swiftSettings: house
    )
}

let package = Package(
    name: "Wheelhouse",
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["libz-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        module("Wire", ["CLinux", "COpenSSL"]),
        module("Web", ["CLinux", "CZlib", "Wire"]),
        module("Markup"),
        module("Store", ["CSQLite"]),
        module("Desktops", ["Web", "Wire"]),
        module("Dashboard", ["Desktops", "Markup", "Store", "Web", "Wire"]),
        module("Agent", ["CLinux", "Desktops", "Web", "Wire"]),
        module("Simulator", ["Web", "Wire"]),

        program("wheelhouse", ["Agent", "Dashboard", "Desktops", "Markup", "Simulator", "Store", "Web", "Wire"]),
        program("conformance-peer", ["Web", "Wire"]),

        tests(of: "Wire"),
        tests(of: "Web", ["Wire"]),
        tests(of: "Markup"),
        tests(of: "Store"),
        tests(of: "Desktops", ["Web", "Wire"]),
        tests(of: "Dashboard", ["Desktops", "Markup", "Store", "Web", "Wire"]),
        tests(of: "Agent", ["Desktops", "Web", "Wire"]),
        tests(of: "Simulator", ["Web", "Wire"]),
    ],
    swiftLanguageModes: [.v6]
)
