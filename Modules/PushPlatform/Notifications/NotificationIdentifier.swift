public import PushCore

extension Challenge.ID {
    /// The key under which a notification's `userInfo` holds its challenge, and nothing else.
    static let userInfoKey = "push-auth.challenge"

    /// The identifier of this challenge's notification: the provider, the enrollment's name and the
    /// challenge's name, joined by slashes.
    ///
    /// All bytes but ASCII letters, digits and `-._~` are percent-encoded (RFC 3986, section 2.1),
    /// so two challenges never share an identifier.
    public var notificationIdentifier: String {
        [enrollment.provider.rawValue, enrollment.name, name]
            .map(\.percentEncoded)
            .joined(separator: "/")
    }

    /// Reads a `notificationIdentifier`; `nil` for any other text, such as the identifier of the
    /// app's own notification.
    public init?(notificationIdentifier: String) {
        let parts = notificationIdentifier.parts(at: "/", most: 5)
            .compactMap(String.init(percentEncoded:))
        guard parts.count == 3 else { return nil }
        let id = Challenge.ID(
            parts[2], of: Enrollment.ID(parts[1], of: ProviderID(rawValue: parts[0])))
        // One spelling each: an identifier that is compared as text must not have a second one.
        guard id.notificationIdentifier.hasSameBytes(as: notificationIdentifier) else { return nil }
        self = id
    }

    /// Reads the challenge of a notification that the user tapped; `nil` for the app's own
    /// notification.
    ///
    /// The identifier proves nothing: ask the authenticator about the challenge.
    public init?(notificationUserInfo userInfo: [AnyHashable: Any]) {
        guard let text = userInfo[Self.userInfoKey] as? String else { return nil }
        self.init(notificationIdentifier: text)
    }
}

extension String {
    /// The text with each byte as `%XX` that isn't one of RFC 3986's unreserved characters.
    fileprivate var percentEncoded: String {
        var result: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            default:
                result += "%\(Hexadecimal.text([byte], upperCase: true))".utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads `%XX`; `nil` if digits are missing or the bytes are no UTF-8.
    fileprivate init?(percentEncoded text: Substring) {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let value = Hexadecimal.bytes([high, low])
            else { return nil }
            bytes += value
        }
        guard let text = String(validUTF8: bytes) else { return nil }
        self = text
    }
}
