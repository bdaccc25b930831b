import PushCore
import PushJOSE

/// The compact JWT of a push, wherever it stands in the message.
struct ContextText {
    /// As it was read, or why no key could make it acceptable.
    private let read: Result<UnverifiedJWS, PushError>

    /// In characters; the documented samples are a third of it at most.
    private static let maximumLength = 4096

    /// Looks at the top level, then into the `data` of a whole FCM message: the first text that has
    /// the vendor's shape. `nil` if none has.
    init?(_ message: PushMessage) {
        guard let read = Self.read(in: message.content) ?? Self.read(in: message["data"]) else {
            return nil
        }
        self.read = read
    }

    private static func read(in place: JSON?) -> Result<UnverifiedJWS, PushError>? {
        let found = place?.object?.withText("context") { text in
            let result = read(text)
            // A JWS that could be read has the shape.
            if case .failure = result, !hasShape(text) {
                return nil as Result<UnverifiedJWS, PushError>?
            }
            return result
        }
        return found ?? nil
    }

    /// Whether a text has the vendor's shape. The name `context` is anybody's, so that alone says
    /// nothing.
    ///
    /// The third part may be empty: what isn't signed is refused as a forgery, not passed on as
    /// somebody else's.
    private static func hasShape(_ text: UnsafeRawBufferPointer) -> Bool {
        var dots: [Int] = []
        for (position, byte) in text.enumerated() where !isURL(byte) {
            guard byte == UInt8(ascii: "."), dots.count < 2 else { return false }
            dots.append(position)
        }
        guard dots.count == 2, dots[0] + 1 < dots[1] else { return false }
        let header = UnsafeRawBufferPointer(rebasing: text[..<dots[0]])
        guard let json = try? Base64.data(from: header, as: .url) else { return false }
        return (try? JSON(parsing: json))?["alg"] != nil
    }

    /// The JWS, if some key could make it acceptable.
    ///
    /// - Throws: `PushError` with the code `malformed` if it is too long, `untrusted` if no key could.
    func jws() throws(PushError) -> UnverifiedJWS {
        let jws = try read.get()
        // `application/` may be left out (RFC 7515 section 4.1.9).
        let type = jws.unverifiedHeader.type?.lowercased() ?? "jwt"
        guard ["jwt", "application/jwt"].contains(where: type.hasSameBytes) else {
            throw PushError(.untrusted, "The context's typ isn't JWT.")
        }
        return jws
    }

    private static func read(
        _ text: UnsafeRawBufferPointer
    ) -> Result<UnverifiedJWS, PushError> {
        guard text.count <= maximumLength else {
            return .failure(PushError(.malformed, "The context is longer than 4096 characters."))
        }
        do throws(PushError) {
            return .success(try UnverifiedJWS(parsing: text))
        } catch {
            guard error.code == .malformed else { return .failure(error) }
            return .failure(
                PushError(.untrusted, "The context isn't a signed JWT.", underlying: error))
        }
    }

    /// Whether a character belongs to base64url (RFC 4648 section 5).
    static func isURL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
