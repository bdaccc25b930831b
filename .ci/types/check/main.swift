import Foundation

/// `apple-types SYSTEM`: ends with 0 if nothing is wrong, 1 if something is, 2 if the check itself doesn't
/// work.
struct AppleTypes {
    let root = URL(filePath: FileManager.default.currentDirectoryPath)
    let compiler: Compiler
    var count = 0

    init(_ system: AppleSystem) throws {
        compiler = try Compiler(
            system, standIns: root.appending(path: ".ci/types/stand-ins"),
            cache: root.appending(path: ".build/apple-types/"))
    }

    mutating func run() throws {
        try compiler.prepare()
        try checkCanaries()
        try checkModules()
        let consumer = root.appending(path: ".ci/types/consumer").files(".swift")
        try report("an app's names", "Consumer", consumer, AppMode.swift6.flags)
        if compiler.system.isIOS { try checkExamples() }
        print("\(compiler.system.triple): \(count) errors")
    }

    /// Checks files whose lines say for which systems they are wrong: just that must be found. So a
    /// toolchain or a stand-in that sees nothing any more is no silent pass.
    private func checkCanaries() throws {
        for file in root.appending(path: ".ci/types/canaries").files(".swift")
        where compiler.system.isIOS || !file.lastPathComponent.hasPrefix("ios") {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            let expected = lines.indices.filter { index in
                guard let wrong = lines[index].firstMatch(of: /\/\/ wrong: (.*)$/) else {
                    return false
                }
                let systems = wrong.1.split(separator: " ")
                return systems.contains("always") || systems.contains(compiler.system.name[...])
            }.map { $0 + 1 }
            let found = try compiler.check("Canary", [file], ["-swift-version", "6"])
            guard Set(found.map(\.line)) == Set(expected) else {
                throw Failure(
                    text: "the check doesn't work: \(file.lastPathComponent) for "
                        + "\(compiler.system.name) is wrong in the lines \(expected), and it finds "
                        + "\(Set(found.map(\.line)).sorted())")
            }
        }
    }

    private mutating func checkModules() throws {
        let checkout = root.appending(path: ".build/checkouts/swift-http-types/Sources/HTTPTypes")
        let sources = checkout.files(".swift")
        guard !sources.isEmpty else { throw Failure(text: "no sources of swift-http-types") }
        let wrong = try compiler.check("HTTPTypes", sources, ["-swift-version", "5"], keeps: true)
        guard wrong.isEmpty else { throw Failure(text: "HTTPTypes: \(wrong[0].text)") }
        let manifest = try Manifest(
            of: root,
            scratch: root.appending(path: ".build/apple-types/manifest-\(compiler.system.name)"))
        for target in manifest.shipped(on: compiler.system.family) {
            guard let path = target.path else { continue }
            let folder = root.appending(path: path)
            let excluded = (target.exclude ?? []).map { folder.appending(path: $0) }
            let sources = folder.files(".swift", except: excluded)
            // One in C is empty on Apple's systems, but for its headers.
            if sources.isEmpty {
                try exposeHeaders(of: target.name, in: folder)
            } else {
                try report(
                    target.name, target.name, sources, manifest.flags(of: target), keeps: true)
            }
        }
    }

    private func exposeHeaders(of name: String, in folder: URL) throws {
        let place = compiler.modules.appending(path: name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let headers = folder.appending(path: "include").files(".h")
            .map { "header \"\($0.path())\"" }.joined(separator: " ")
        try "module \(name) { \(headers) export * }\n".write(
            to: place.appending(path: "module.modulemap"), atomically: true, encoding: .utf8)
    }

    /// The examples, as apps are built: from other packages, in each of the modes.
    private mutating func checkExamples() throws {
        let app = root.appending(path: "Examples/ios-app")
        let shared = app.appending(path: "Shared").files(".swift")
        for mode in AppMode.allCases {
            try report(
                "Examples/ios-app, \(mode.title)", "App",
                app.appending(path: "App").files(".swift") + shared, mode.flags)
            try report(
                "its extension, \(mode.title)", "Extension",
                app.appending(path: "Extension").files(".swift") + shared,
                mode.flags + ["-application-extension"])
        }
        let samples = root.appending(path: "Examples/vendor-samples").files(".swift")
        for version in ["5", "6"] {
            try report(
                "Examples/vendor-samples, Swift \(version)", "Samples", samples,
                ["-swift-version", version, "-warnings-as-errors"])
        }
    }

    private mutating func report(
        _ title: String, _ name: String, _ sources: [URL], _ flags: [String], keeps: Bool = false
    ) throws {
        let findings = try compiler.check(name, sources, flags, keeps: keeps)
        count += findings.count
        guard !findings.isEmpty else { return }
        print("\(title): \(findings.count) errors")
        for finding in findings {
            let path = finding.path.replacing(root.path() + "/", with: "").replacing(
                root.path(), with: "")
            print("  \(path):\(finding.line):\(finding.column): \(finding.text)")
        }
    }
}

/// How an app's own sources may be compiled.
enum AppMode: CaseIterable {
    case swift6
    case swift6OnMain
    /// What Xcode 26 gives a new app.
    case swift5OnMain

    var title: String {
        switch self {
        case .swift6: "Swift 6"
        case .swift6OnMain: "Swift 6, MainActor by default"
        case .swift5OnMain: "Swift 5, MainActor by default, approachable concurrency"
        }
    }

    var flags: [String] {
        let onMain = ["-default-isolation", "MainActor"]
        let features = [
            "NonisolatedNonsendingByDefault", "InferIsolatedConformances", "MemberImportVisibility",
        ]
        let ofSwift6 = [
            "DisableOutwardActorInference", "GlobalActorIsolatedTypesUsability",
            "InferSendableFromCaptures",
        ]
        let enabling = { (names: [String]) in names.flatMap { ["-enable-upcoming-feature", $0] } }
        return switch self {
        case .swift6: ["-swift-version", "6", "-warnings-as-errors"]
        case .swift6OnMain:
            ["-swift-version", "6", "-warnings-as-errors"] + onMain + enabling(features)
        case .swift5OnMain: ["-swift-version", "5"] + onMain + enabling(features + ofSwift6)
        }
    }
}

do {
    guard CommandLine.arguments.count == 2 else { throw Failure(text: "apple-types SYSTEM") }
    var check = try AppleTypes(AppleSystem(CommandLine.arguments[1]))
    try check.run()
    exit(check.count == 0 ? 0 : 1)
} catch let failure as Failure {
    FileHandle.standardError.write(Data("apple-types: \(failure.text)\n".utf8))
    exit(2)
}
