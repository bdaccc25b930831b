import PushCore

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
