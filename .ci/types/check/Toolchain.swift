import Foundation

/// The compiler, and the textual interfaces of its own modules, which say since when each thing is
/// available on Apple's systems.
struct Toolchain {
    let version: String
    let resources: URL
    private let interfaces: [String: URL]

    /// The modules of the language, in the order of their dependence.
    static let modules = [
        "Swift", "_Concurrency", "_RegexParser", "_StringProcessing", "SwiftOnoneSupport",
        "Synchronization", "Observation",
    ]

    private struct Info: Decodable {
        struct Target: Decodable { let moduleTriple, platform: String }
        struct Paths: Decodable { let runtimeResourcePath: String }
        let compilerVersion: String
        let target: Target
        let paths: Paths
    }

    init() throws {
        let told = try run("swiftc", ["-print-target-info"], withErrors: false)
        let info = try JSONDecoder().decode(Info.self, from: Data(told.output.utf8))
        version = info.compilerVersion
        resources = URL(filePath: info.paths.runtimeResourcePath)
        let platform = info.target.platform
        // The static library's first: they are compiled with fewer flags.
        let parent = resources.deletingLastPathComponent()
        let folders = ["swift_static", "swift"].map { parent.appending(path: "\($0)/\(platform)") }
        var found: [String: URL] = [:]
        for folder in folders {
            for name in Self.modules where found[name] == nil {
                let file = folder.appending(
                    path: "\(name).swiftmodule/\(info.target.moduleTriple).swiftinterface")
                if file.exists { found[name] = file }
            }
        }
        if let missing = Self.modules.first(where: { found[$0] == nil }) {
            throw Failure(text: "this toolchain has no textual interface of \(missing)")
        }
        interfaces = found
    }

    /// The text of an interface, made to fit another system.
    ///
    /// `@backDeployed` goes: the declaration stays as available as it was, and the compiler asks for no
    /// body that the interface lacks. A few lines call what only Linux, or only x86, has. And the
    /// standard library of a system without Objective-C lacks what the compiler calls where there is
    /// Objective-C.
    func interface(of name: String, for triple: String) throws -> String {
        guard let file = interfaces[name] else { return "" }
        var text = try String(contentsOf: file, encoding: .utf8)
        text = text.replacing(/-target [^ \n]+/, with: "-target \(triple)", maxReplacements: 1)
        text = text.replacing(/(?m)^ *@backDeployed\(.*\)\n/, with: "")
        text = text.replacing(/(?m)^ *self = _stdlib_(remainderl|squareRootl)\(.*\)\n/, with: "")
        switch name {
        case "Swift": text += Self.pointer
        case "_Concurrency": text += Self.continuations
        case "Synchronization", "Observation":
            text = text.replacing(" -disable-objc-interop", with: "")
                .replacing("_swift_stdlib_gettid()", with: "UInt32(0)")
                .replacing(/(?m)^import (Glibc|Musl)$/, with: "import Darwin")
        default: break
        }
        return text
    }

    private static let pointer = """

        /// What `NSError **` is in Swift.
        @frozen public struct AutoreleasingUnsafeMutablePointer<Pointee> : Swift._Pointer {
          public let _rawValue: Builtin.RawPointer
          @_transparent public init(_ _rawValue: Builtin.RawPointer) { self._rawValue = _rawValue }
          public var pointee: Pointee { get nonmutating set }
        }
        @available(*, unavailable)
        extension AutoreleasingUnsafeMutablePointer : Swift.Sendable {}

        """

    /// What the compiler calls where Objective-C calls an `async` method, and where Swift awaits one
    /// with a completion handler.
    private static let continuations: String = {
        let since = "@available(macOS 10.15, iOS 13.0, *)"
        var text = """

            \(since) @preconcurrency @usableFromInline internal func _runTaskForBridgedAsyncMethod(
              @_inheritActorContext _ body: __owned @escaping @Sendable () async -> Swift.Void)

            """
        for (name, failure) in [("", "Swift.Never"), ("Throwing", "any Swift.Error")] {
            let checked = "_Concurrency.CheckedContinuation<T, \(failure)>"
            let unsafe = "_Concurrency.UnsafeContinuation<T, \(failure)>"
            text += """
                \(since) @usableFromInline internal func _createChecked\(name)Continuation<T>(
                  _ from: __owned \(unsafe)) -> \(checked)
                \(since) @usableFromInline internal func _resumeChecked\(name)Continuation<T>(
                  _ on: \(checked), _ value: sending T)

                """
        }
        for (kind, type) in [("Checked", "CheckedContinuation"), ("Unsafe", "UnsafeContinuation")] {
            let continuation = "_Concurrency.\(type)<T, any Swift.Error>"
            text += """
                \(since) @usableFromInline internal func _resume\(kind)ThrowingContinuationWithError<T>(
                  _ on: \(continuation), _ error: __owned any Swift.Error)

                """
        }
        text += """
            \(since) @usableFromInline internal func _resumeUnsafeContinuation<T>(
              _ on: _Concurrency.UnsafeContinuation<T, Swift.Never>, _ value: sending T)
            \(since) @usableFromInline internal func _resumeUnsafeThrowingContinuation<T>(
              _ on: _Concurrency.UnsafeContinuation<T, any Swift.Error>, _ value: sending T)

            """
        return text
    }()
}
