import PushCore
import PushJOSE

/// What a QR code, a link or a push of a realm's carries, whatever stands before it: the operator chooses
/// the prefix of codes and links, so only the parameter tells.
enum CarriedText {
    /// A token's text: the parameter `token`.
    case token(String)
    /// Where a token can be fetched: the parameter `request_uri`.
    case reference(String)

    /// The largest token, which is what the extension takes at most by setting.
    static let longestToken = 131_072

    /// Reads a code or a link: `PREFIX?token=…`, `PREFIX?request_uri=…`, or with an empty prefix the
    /// bare value.
    ///
    /// - Returns: `nil` if it has neither, or more than one.
    init?(_ text: String) {
        guard text.utf8.count <= 2 * Self.longestToken else { return nil }
        let (location, query) = text.start(before: "#").cut(at: "?")
        guard let query else {
            self = location.cut(at: "://").rest == nil ? .token(text) : .reference(text)
            return
        }
        let found = query.parts(at: "&").compactMap(Self.init(parameter:))
        guard let only = found.first, found.count == 1 else { return nil }
        self = only
    }

    private init?(parameter: Substring) {
        let (name, value) = parameter.cut(at: "=")
        guard let text = value.flatMap({ PercentText.decoded($0) }) else { return nil }
        if name.utf8.elementsEqual("token".utf8) {
            self = .token(text)
        } else if name.utf8.elementsEqual("request_uri".utf8) {
            self = .reference(text)
        } else {
            return nil
        }
    }

    /// Reads a token, without trusting it.
    ///
    /// - Returns: `nil` if it is no JWT, or one that no key could make acceptable.
    static func jwt(_ text: String) -> UnverifiedJWT? {
        try? UnverifiedJWT(parsing: text, limits: JSON.Limits(bytes: longestToken))
    }
}

/// A UUID's text (RFC 9562 section 4), in any case: what may stand in a path.
enum UUIDText {
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        return text.utf8.enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: Character(Unicode.Scalar(byte)).isHexDigit
            }
        }
    }
}

extension VerifiedJWT {
    /// A time in whole seconds of Unix's epoch, such as `exp`; `nil` if it is none of this age of the
    /// world.
    func time(_ name: String) -> Int64? {
        claims[name]?.integer.flatMap(UnixTime.checked)
    }
}

/// Times as the wire has them.
enum UnixTime {
    /// Up to the year 9999.
    static func checked(_ seconds: Int64) -> Int64? {
        0...253_402_300_799 ~= seconds ? seconds : nil
    }
}
