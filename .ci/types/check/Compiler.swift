import Foundation

/// An error that the compiler reports.
struct Finding: Hashable {
    let path: String
    let line: Int
    let column: Int
    let text: String
}

/// The compiler, set up for one of Apple's systems: the toolchain's own modules, made to fit it, and this
/// project's stand-ins for Apple's frameworks.
struct Compiler {
    let system: AppleSystem
    let toolchain: Toolchain
    private let standIns: URL
    private let folder: URL
    private let language: URL
    private let base: URL
    let modules: URL

    /// The stand-ins, in the order of their dependence.
    private static let frameworks = [
        "ObjectiveC", "Darwin", "CoreFoundation", "Dispatch", "Foundation", "Combine", "Security",
        "LocalAuthentication", "UserNotifications", "CryptoKit", "Crypto", "CryptoExtras",
    ]
    private static let frameworksOfIOS = [
        "UIKit", "SwiftUI", "BackgroundTasks", "Vision", "VisionKit", "FirebaseMessaging",
    ]

    init(_ system: AppleSystem, standIns: URL, cache: URL) throws {
        self.system = system
        self.standIns = standIns
        toolchain = try Toolchain()
        // A changed stand-in changes the folder, and so does another compiler.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        add(toolchain.version.utf8)
        let known = String(hash, radix: 16)
        for file in standIns.files() {
            add(file.lastPathComponent.utf8)
            add(try Data(contentsOf: file))
        }
        folder = cache.appending(path: "\(system.family)-\(String(hash, radix: 16))/")
        language = cache.appending(path: "\(system.family)-swift-\(known)/")
        base = folder.appending(path: "frameworks/")
        modules = folder.appending(path: "\(system.triple)/")
    }

    // MARK: The ground

    /// Builds the standard library and the stand-ins, unless the cache has them.
    func prepare() throws {
        let files = FileManager.default
        for path in [language, base, modules, folder.appending(path: "sdk/")] {
            try files.createDirectory(at: path, withIntermediateDirectories: true)
        }
        let ready = folder.appending(path: "ready")
        guard !ready.exists else { return }
        // The compiler wants to know which SDK it has; it has an empty one.
        let settings = """
            {"Version": "26.0", "CanonicalName": "standin26.0", "DisplayName": "stand-in",
            "MaximumDeploymentTarget": "26.0.99", "SupportedTargets": {}}
            """
        try settings.write(
            to: folder.appending(path: "sdk/SDKSettings.json"), atomically: true, encoding: .utf8)
        for name in Toolchain.modules.prefix(5) { try build(language: name) }
        let all = Self.frameworks + (system.isIOS ? Self.frameworksOfIOS : [])
        for name in all {
            let sources = standIns.appending(path: name).files(".swift")
            guard !sources.isEmpty else { continue }
            let hasHeader = standIns.appending(path: "\(name)/module.modulemap").exists
            // As Apple builds its frameworks: what isn't frozen has no known size.
            try must(
                name,
                [
                    "-emit-module", "-parse-as-library", "-module-name", name, "-swift-version",
                    "5",
                    "-enable-library-evolution", "-disable-availability-checking",
                ] + (hasHeader ? ["-import-underlying-module"] : [])
                    + sources.map { $0.path() }
                    + ["-o", base.appending(path: "\(name).swiftmodule").path()])
        }
        for name in Toolchain.modules.dropFirst(5) { try build(language: name) }
        try Data().write(to: ready)
    }

    private func build(language name: String) throws {
        let module = language.appending(path: "\(name).swiftmodule")
        guard !module.exists else { return }
        let text = try toolchain.interface(of: name, for: system.ground)
        let interface = folder.appending(path: "\(name).swiftinterface")
        try text.write(to: interface, atomically: true, encoding: .utf8)
        let isPlain = !["Synchronization", "Observation"].contains(name)
        try must(
            name,
            (name == "Swift" ? ["-parse-stdlib"] : [])
                + (isPlain ? ["-disable-objc-interop"] : [])
                + [
                    "-compile-module-from-interface", "-module-name", name,
                    "-disable-availability-checking", interface.path(), "-o", module.path(),
                ])
    }

    private func must(_ name: String, _ arguments: [String]) throws {
        let built = try frontend(arguments, triple: system.ground)
        guard built.status != 0 else { return }
        let errors = built.output.split(separator: "\n").filter { $0.contains("error:") }.prefix(8)
        throw Failure(text: "\(name) couldn't be built:\n" + errors.joined(separator: "\n"))
    }

    private func frontend(
        _ arguments: [String], triple: String? = nil
    ) throws -> (status: Int32, output: String) {
        var all = [
            "-frontend", "-target", triple ?? system.triple,
            "-sdk", folder.appending(path: "sdk").path(),
            "-resource-dir", toolchain.resources.path(),
            "-I", toolchain.resources.appending(path: "shims").path(),
            "-module-cache-path", folder.appending(path: "clang").path(),
            "-plugin-path", toolchain.resources.appending(path: "host/plugins").path(),
            "-diagnostic-style", "llvm",
        ]
        for place in [language, base, modules] { all += ["-I", place.path()] }
        for name in Self.frameworks + Self.frameworksOfIOS {
            let place = standIns.appending(path: name).path()
            all += ["-I", place, "-Xcc", "-I\(place)"]
        }
        return try run("swift-frontend", all + arguments)
    }

    // MARK: Checking

    /// Checks sources as one module, down to SIL, where the rules of sending and of initialization are
    /// checked. With `keeps` others can import the module, even one with errors, so that each error is
    /// told once.
    func check(
        _ name: String, _ sources: [URL], _ flags: [String], keeps: Bool = false
    ) throws -> [Finding] {
        let common =
            ["-module-name", name, "-parse-as-library"] + flags + sources.map { $0.path() }
        let module = (keeps ? modules : folder).appending(path: "\(name).swiftmodule").path()
        let full = try frontend(["-emit-module", "-o", module] + common)
        var findings = Self.findings(in: full.output)
        if full.status != 0 {
            // Where the compiler itself fails, the types alone may say why.
            if findings.isEmpty {
                findings = Self.findings(in: try frontend(["-typecheck"] + common).output)
            }
            guard !findings.isEmpty else {
                let crash = full.output.split(separator: "\n").filter {
                    $0.contains("Assertion") || $0.wholeMatch(of: /\d+\.\s.*/) != nil
                }
                throw Failure(
                    text: "the compiler fails on \(name) without an error:\n"
                        + crash.joined(separator: "\n"))
            }
            if keeps {
                _ = try frontend(
                    [
                        "-emit-module", "-experimental-allow-module-with-compiler-errors",
                        "-disable-availability-checking", "-o", module,
                    ] + common)
            }
        }
        return findings
    }

    private static func findings(in output: String) -> [Finding] {
        let found = output.split(separator: "\n").compactMap { line -> Finding? in
            guard let match = line.wholeMatch(of: /(\/[^:]+):(\d+):(\d+): error: (.*)/),
                let line = Int(match.2), let column = Int(match.3)
            else { return nil }
            return Finding(
                path: String(match.1), line: line, column: column, text: String(match.4))
        }
        return Set(found).sorted { ($0.path, $0.line, $0.column) < ($1.path, $1.line, $1.column) }
    }
}
