public import PushCore

/// What an operation's data says (vendor: enrollment-server, `docs/Operation-Data.md`).
///
/// A letter for the version, a number for the template, and up to six fields, each after an
/// asterisk.
public struct PowerAuthOperationData: Hashable, Sendable {
    /// What kind of operation it is.
    @nonexhaustive
    public enum Template: Hashable, Sendable {
        /// 0, and any number that isn't known.
        case generic
        /// 1: a payment, with amount, account, reference, date and note.
        case payment
        /// 2: a login.
        case login

        init(_ number: Int) {
            switch number {
            case 1: self = .payment
            case 2: self = .login
            default: self = .generic
            }
        }
    }

    /// The documents speak of five, the vendor's reader takes one more.
    private static let greatestFieldCount = 6

    /// The version, `A` to `Z`.
    public let version: Character

    /// The number of the template, 0 to 99.
    public let templateNumber: Int

    /// The fields in order; empty ones keep their place.
    public let fields: [Field]

    /// What kind of operation it is.
    public var template: Template { Template(templateNumber) }

    /// Reads data.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    public init(_ text: String) throws(PushError) {
        guard let parts = Self.split(Array(text.utf8)), let head = parts.first,
            parts.count - 1 <= Self.greatestFieldCount, let version = head.first,
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= version
        else { throw Self.malformed }
        let digits = head.dropFirst()
        guard 1...2 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            let number = Int(String(decoding: digits, as: UTF8.self))
        else { throw Self.malformed }
        self.version = Character(Unicode.Scalar(version))
        templateNumber = number
        var fields: [Field] = []
        for part in parts.dropFirst() {
            guard let text = OfflineText.unescaped(part, separator: UInt8(ascii: "*")) else {
                throw Self.malformed
            }
            fields.append(Field(text))
        }
        self.fields = fields
    }

    /// Splits at each asterisk without a backslash before it; `nil` if a backslash ends the text.
    private static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
        var parts: [[UInt8]] = [[]]
        var isEscaped = false
        for byte in bytes {
            if byte == UInt8(ascii: "*"), !isEscaped {
                parts.append([])
                continue
            }
            parts[parts.count - 1].append(byte)
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return isEscaped ? nil : parts
    }

    private static let malformed = PushError(.malformed, "Operation data can't be read.")
}
