extension Challenge.ID {
    /// The key under which a notification's `userInfo` holds its challenge, and nothing else.
    static let userInfoKey = "push-auth.challenge"

    /// The identifier of this challenge's notification: its provider, its enrollment's name and its
    /// own, joined by slashes.
    ///
    /// Every byte other than ASCII letters, digits and `-._~` is percent-encoded (RFC 3986, section
    /// 2.1). So no two challenges share an identifier, whatever their names hold.
    public var notificationIdentifier: String {
        [enrollment.provider.rawValue, enrollment.name, name]
            .map(\.percentEncoded)
            .joined(separator: "/")
    }

    /// Reads what ``notificationIdentifier`` wrote; `nil` for any other text, such as the
    /// identifier of a notification of the app's own.
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

    /// Reads the challenge that a notification is about, when the user taps it; `nil` if it is the
    /// app's own notification.
    ///
    /// Only the identifier comes back this way, and it proves nothing: ask the authenticator what
    /// is known of the challenge.
    public init?(notificationUserInfo userInfo: [AnyHashable: Any]) {
        guard let text = userInfo[Self.userInfoKey] as? String else { return nil }
        self.init(notificationIdentifier: text)
    }
}

extension String {
    /// The text with each byte as `%XX` that isn't one of RFC 3986's unreserved characters.
    fileprivate var percentEncoded: String {
        var result = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + Hexadecimal.text([byte], upperCase: true)
            }
        }
        return result
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
