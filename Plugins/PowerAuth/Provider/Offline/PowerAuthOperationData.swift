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
    private static let maximumFieldCount = 6

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
            parts.count - 1 <= Self.maximumFieldCount, let version = head.first,
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

extension PowerAuthOperationData {
    /// One field of an operation's data, by the letter before it; untrusted texts.
    @nonexhaustive
    public enum Field: Hashable, Sendable {
        /// Nothing: the place of a field that isn't used.
        case empty
        /// `A`: an exact decimal number such as `100.50`, and a currency (ISO 4217).
        case amount(String, currency: String)
        /// `I`: an IBAN (ISO 13616), and a BIC (ISO 9362) if there is one.
        case iban(String, bic: String?)
        /// `Q`: an account in any form.
        case account(String)
        /// `D`: a day of the Gregorian calendar.
        case date(year: Int, month: Int, day: Int)
        /// `R`: a reference.
        case reference(String)
        /// `N`: a note.
        case note(String)
        /// `T`: a text.
        case text(String)
        /// Another letter, or what its letter doesn't fit: the field as it stands.
        case other(String)

        init(_ field: String) {
            guard let letter = field.unicodeScalars.first else {
                self = .empty
                return
            }
            let rest = String(field.unicodeScalars.dropFirst())
            self =
                switch letter {
                case "A": Self.amount(rest) ?? .other(field)
                case "I": Self.iban(rest) ?? .other(field)
                case "Q": .account(rest)
                case "D": Self.date(rest) ?? .other(field)
                case "R": .reference(rest)
                case "N": .note(rest)
                case "T": .text(rest)
                default: .other(field)
                }
        }

        private static func amount(_ text: String) -> Field? {
            let bytes = Array(text.utf8)
            let (number, currency) = (bytes.dropLast(3), bytes.suffix(3))
            guard DecimalText.isDecimal(number), currency.count == 3,
                currency.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 })
            else { return nil }
            return .amount(
                String(decoding: number, as: UTF8.self),
                currency: String(decoding: currency, as: UTF8.self))
        }

        private static func iban(_ text: String) -> Field? {
            let parts = text.utf8.split(
                separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard 1...2 ~= parts.count, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isCode) })
            else { return nil }
            return .iban(
                String(decoding: parts[0], as: UTF8.self),
                bic: parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : nil)
        }

        private static func isCode(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: false
            }
        }

        private static func date(_ text: String) -> Field? {
            let digits = text.utf8.compactMap { 0x30...0x39 ~= $0 ? Int($0 - 0x30) : nil }
            guard digits.count == 8, text.utf8.count == 8 else { return nil }
            func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
            let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
            guard 1...12 ~= month, 1...ServerDate.daysInMonth(month, of: year) ~= day else {
                return nil
            }
            return .date(year: year, month: month, day: day)
        }
    }
}

extension PowerAuthOperationData.Field {
    /// The field as it is shown; `nil` for an empty one.
    var shown: ShownText? {
        switch self {
        case .empty: nil
        case .amount(let amount, let currency): ShownText("Amount", amount + " " + currency)
        case .iban(let iban, let bic):
            ShownText("IBAN", iban + (bic.map { ", BIC " + $0 } ?? ""))
        case .account(let text): ShownText("Account", text)
        case .date(let year, let month, let day):
            ShownText("Date", ServerDate.day(year, month, day))
        case .reference(let text): ShownText("Reference", text)
        case .note(let text): ShownText("Note", text)
        case .text(let text), .other(let text): ShownText("Text", text)
        }
    }
}
