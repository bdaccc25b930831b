public import PushCore

/// The OneSpan Notification Identifier: what the platform knows this app on this device by.
///
/// It abstracts Apple's and Google's tokens into one text, hexadecimal, of at most 2,064 characters
/// (OneSpan, "Notification SDK overview"). Nothing but its maker reads it.
public struct NotificationIdentifier: Hashable, Sendable {
    /// The longest identifier, in characters.
    public static let limit = 2_064

    /// Its characters.
    public let text: String

    /// Creates an identifier.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if it isn't 1 to 2,064
    ///   hexadecimal digits.
    public init(_ text: String) throws(PushError) {
        guard !text.isEmpty, text.utf8.count <= Self.limit,
            text.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
                default: false
                }
            })
        else {
            throw PushError(.invalidArgument, "A notification identifier is hexadecimal.")
        }
        self.text = text
    }
}

extension NotificationIdentifier: CustomStringConvertible {
    /// The identifier.
    public var description: String { text }
}
