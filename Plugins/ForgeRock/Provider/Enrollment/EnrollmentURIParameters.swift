import PushCore
import PushJOSE

/// The parts of an enrollment code, before their meaning is checked.
struct EnrollmentURIParameters {
    enum Scheme: String {
        /// Push alone.
        case pushauth
        /// Push and one-time codes together.
        case mfauth
        /// One-time codes alone, of whatever maker.
        case otpauth

        /// What its codes may enroll. Those of another type are an error; of `otpauth`, another's.
        fileprivate var hosts: [String] {
            switch self {
            case .pushauth: ["push"]
            case .mfauth: ["totp", "hotp", "push"]
            case .otpauth: ["totp", "hotp"]
            }
        }
    }

    let scheme: Scheme

    /// `push`, `totp` or `hotp`.
    let host: String

    private let label: String
    private let values: [String: String]

    private static let maximumLength = 16 * 1024

    /// Splits a text; `nil` if its scheme isn't AM's.
    init?(_ text: String) throws(PushError) {
        // A raw image URL may hold a fragment; AM's own readers stop there, too.
        let (start, rest) = text.start(before: "#").cut(at: "://")
        guard let rest, let scheme = Scheme(rawValue: start.asciiWord) else { return nil }
        self.scheme = scheme
        let (location, query) = rest.cut(at: "?")
        let name = location.start(before: "/")
        host = name.asciiWord
        guard scheme.hosts.contains(host) else {
            if scheme == .otpauth { return nil }
            throw PushError(.invalidInvitation, "The enrollment code is of an unknown type.")
        }
        guard text.utf8.count <= Self.maximumLength else {
            throw PushError(.invalidInvitation, "The enrollment code is too long.")
        }
        let label = location.utf8.dropFirst(name.utf8.count).drop { $0 == UInt8(ascii: "/") }
        self.label = PercentEncoding.decoded(Substring(label))
        var values: [String: String] = [:]
        for pair in (query ?? "").parts(at: "&") {
            let (encoded, value) = pair.cut(at: "=")
            let name = PercentEncoding.decoded(encoded)
            guard let value, name.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
            // The last of two wins, as in the vendor's own apps. A plus is a plus.
            values[name] = PercentEncoding.decoded(value)
        }
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }

    // MARK: Meanings

    /// The parameter wins over the label, whose issuer is a fixed word on AM up to 7.2. An empty or a
    /// blank one names nobody, so it doesn't.
    var issuer: String {
        let labelled = KeyURILabel(label).issuer ?? ""
        guard let value = KeyURILabel.name(values["issuer"]),
            value.utf8.contains(where: { $0 != UInt8(ascii: "=") })
        else { return labelled }
        // Plain text occurs, too, and may look like Base64 by accident. It is all that `otpauth` has.
        if scheme != .otpauth, let text = decoded("issuer"), !text.containsControlCharacters {
            return KeyURILabel.name(text) ?? labelled
        }
        return value
    }

    var account: String { KeyURILabel(label).account }

    /// AM's user name. An empty one counts as absent, as in pushes; a push may tell the real one.
    var user: String? {
        ["uid", "d"].lazy.compactMap(decoded).first { !$0.isEmpty }
    }

    /// Base64 text in `pushauth`, else a raw URL; a bad one is dropped.
    var image: Endpoint? {
        guard let text = scheme == .pushauth ? decoded("image") : values["image"] else {
            return nil
        }
        return try? Endpoint(text)
    }

    /// `nil` if there are none or they can't be read. AM writes them into combined codes alone.
    var policies: JSON.Object? {
        // The credential nests them once more, and is read within the same depth.
        decoded("policies").flatMap { try? JSON(parsing: $0, limits: .init(depth: 31)).object }
    }

    func color(_ name: String) -> String? {
        guard let digits = values[name].map({ $0.hasPrefix("#") ? $0.dropFirst() : $0[...] }),
            digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return nil }
        return String(digits)
    }

    func required(_ name: String) throws(PushError) -> String {
        guard let value = values[name] else { throw Self.invalid(name, "is missing") }
        guard !value.isEmpty else { throw Self.invalid(name, "is empty") }
        return value
    }

    func requiredSecret(_ name: String) throws(PushError) -> Secret {
        do throws(PushError) {
            let secret = try Base64.secret(from: try required(name), as: .anyAlphabet)
            guard secret.count > 0 else { throw Self.invalid(name, "is empty") }
            return secret
        } catch  where error.code == .malformed {
            throw Self.invalid(name, "is not Base64")
        }
    }

    func requiredEndpoint(_ name: String) throws(PushError) -> Endpoint {
        _ = try required(name)
        guard let text = decoded(name), let endpoint = try? Endpoint(text) else {
            throw Self.invalid(name, "is not the Base64 of a URL")
        }
        return endpoint
    }

    /// A cookie that doesn't decode counts as absent; one that could break a header is refused.
    func cookie(_ name: String) throws(PushError) -> String? {
        guard let text = decoded(name), !text.isEmpty else { return nil }
        guard Cookie.isSafe(text.utf8) else { throw Self.invalid(name, "is not a cookie") }
        return text
    }

    /// The UTF-8 text behind Base64 of any variant; `nil` if it doesn't decode.
    func decoded(_ name: String) -> String? {
        values[name].flatMap { try? Base64.bytes(from: $0, as: .anyAlphabet) }
            .flatMap { String(validUTF8: $0) }
    }

    static func invalid(_ name: String, _ problem: String) -> PushError {
        PushError(.invalidInvitation, "The parameter \"\(name)\" \(problem).")
    }
}

extension String {
    /// Whether it holds a C0 or C1 control character.
    var containsControlCharacters: Bool {
        unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }
    }
}

/// Percent-encoding (RFC 3986, section 2.1), read leniently: what isn't an escape stays as it is.
enum PercentEncoding {
    static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "%"), position + 2 < bytes.count,
                let value = Hexadecimal.bytes(bytes[(position + 1)...(position + 2)])
            {
                output += value
                position += 3
            } else {
                output.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
