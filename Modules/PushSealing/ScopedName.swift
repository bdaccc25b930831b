/// A name with its scope before it: the scope's length in bytes, a colon, the scope, a slash, the rest.
///
/// The length tells where the scope ends, or the scope "a" could have what is "ab"'s.
struct ScopedName {
    let scope: String
    let rest: String

    /// What the names of a scope begin with.
    static func prefix(_ scope: String) -> String { "\(scope.utf8.count):\(scope)/" }

    /// What comes before all names of a scope, and after all of those that come before.
    static func before(_ scope: String) -> String { "\(scope.utf8.count):\(scope)" }

    /// Parts a name; `nil` if it has no scope before it.
    init?(_ name: String) {
        let bytes = name.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let count = Int(name[..<colon]), count >= 0, String(count) == name[..<colon]
        else { return nil }
        let text = bytes[colon...].dropFirst()
        guard text.count > count else { return nil }
        let slash = text.index(text.startIndex, offsetBy: count)
        guard bytes[slash] == UInt8(ascii: "/"),
            let scope = String(text[..<slash]), let rest = String(text[slash...].dropFirst())
        else { return nil }
        self.scope = scope
        self.rest = rest
    }
}
