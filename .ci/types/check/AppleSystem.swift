/// One of Apple's systems, at a version.
struct AppleSystem {
    /// As the command line names it, such as `ios16`.
    let name: String

    /// As the compiler names it.
    let triple: String

    private static let known = [
        "ios16": "arm64-apple-ios16.0", "ios17": "arm64-apple-ios17.0",
        "ios18": "arm64-apple-ios18.0", "ios26": "arm64-apple-ios26.0",
        "macos13": "arm64-apple-macosx13.0", "macos15": "arm64-apple-macosx15.0",
    ]

    init(_ name: String) throws {
        guard let triple = Self.known[name] else {
            throw Failure(
                text: "no such system: \(name); there are "
                    + Self.known.keys.sorted().joined(separator: ", "))
        }
        self.name = name
        self.triple = triple
    }

    var isIOS: Bool { triple.contains("-ios") }

    /// As the manifest names it.
    var family: String { isIOS ? "ios" : "macos" }

    /// What the standard library and the stand-ins are built for, once for all versions: what is
    /// available since when stays in them.
    var ground: String { isIOS ? "arm64-apple-ios13.0" : "arm64-apple-macosx10.15" }
}
