import PushCore
import PushJOSE

/// The compact JWT of a push, wherever it stands in the message.
struct ContextText {
    private let text: String

    /// In characters; the documented samples are a third of it at most.
    private static let greatestLength = 4096

    /// Looks at the top level, then into the `data` of a whole FCM message: the first text that has
    /// the vendor's shape, or else the first.
    init?(_ message: PushMessage) {
        let found = [message["context"], message["data"]?["context"]]
            .compactMap { $0?.string.map(Self.init(text:)) }
        let best = found.count > 1 ? found.first(where: \.hasShape) : nil
        guard let text = best ?? found.first else { return nil }
        self = text
    }

    private init(text: String) {
        self.text = text
    }

    /// Whether it has the vendor's shape. The name `context` is anybody's, so that alone says nothing.
    ///
    /// The third part may be empty: what isn't signed is refused as a forgery, not passed on as
    /// somebody else's.
    var hasShape: Bool {
        var text = text
        return text.withUTF8 { bytes in
            var dots: [Int] = []
            for (position, byte) in bytes.enumerated() where !Self.isURL(byte) {
                guard byte == UInt8(ascii: "."), dots.count < 2 else { return false }
                dots.append(position)
            }
            guard dots.count == 2, dots[0] + 1 < dots[1] else { return false }
            let header = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<dots[0]])
            guard let json = try? Base64.data(from: header, as: .url) else { return false }
            return (try? JSON(parsing: json))?["alg"] != nil
        }
    }

    /// The JWS, if some key could make it acceptable.
    ///
    /// - Throws: `PushError` with the code `malformed` if it hasn't the vendor's shape or is too
    ///   long, `untrusted` if no key could.
    func jws() throws(PushError) -> UnverifiedJWS {
        guard text.utf8.count <= Self.greatestLength else {
            throw PushError(.malformed, "The context is longer than 4096 characters.")
        }
        let jws = try read()
        guard jws.unverifiedHeader.type.map({ $0.lowercased() == "jwt" }) ?? true else {
            throw PushError(.untrusted, "The context's typ isn't JWT.")
        }
        return jws
    }

    private func read() throws(PushError) -> UnverifiedJWS {
        do throws(PushError) {
            return try UnverifiedJWS(parsing: text)
        } catch  where error.code == .malformed && hasShape {
            throw PushError(.untrusted, "The context isn't a signed JWT.", underlying: error)
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
