import PushCore

extension PowerAuthAttribute {
    /// An amount of money. Raw or formatted parts may be missing, but not both.
    public struct Money: Hashable, Sendable {
        /// The amount as an exact decimal number, such as `100.5`; `nil` if the server sent none,
        /// or with more digits than a JSON number keeps exactly. Make a `Decimal` of it to compute.
        public let amount: String?

        /// The currency, such as `CZK` (ISO 4217).
        public let currency: String?

        /// The amount as the server wants it shown.
        public let amountFormatted: String?

        /// The currency as the server wants it shown.
        public let currencyFormatted: String?

        /// Both as the server wants them shown.
        public let valueFormatted: String?

        /// - Throws: `PushError` with the code `malformed` if neither the raw nor the formatted
        ///   parts tell both amount and currency, or if one of them is of another type or blank.
        init(_ members: Members, prefix: String) throws(PushError) {
            func key(_ name: String) -> String {
                prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
            }
            let raw = members[key("amount")]
            amount = DecimalText.text(raw)
            currency = try members.optionalText(key("currency"))
            amountFormatted = try members.optionalText(key("amountFormatted"))
            currencyFormatted = try members.optionalText(key("currencyFormatted"))
            valueFormatted = try members.optionalText(key("valueFormatted"))
            // A number may have more digits than can be told exactly; anything else must be one.
            let isNumber = if case .number? = raw { true } else { amount != nil || raw == nil }
            // Nobody sees an amount whose text or currency is blank.
            let texts = [currency, amountFormatted, currencyFormatted, valueFormatted]
            let isSeen = !texts.lazy.compactMap(\.self).contains(where: DisplayText.isBlank)
            guard isNumber, isSeen, shown != nil else { throw Members.missing }
        }

        /// What to show: the formatted parts first.
        var shown: String? {
            if let valueFormatted { return valueFormatted }
            guard let amount = amountFormatted ?? amount,
                let currency = currencyFormatted ?? currency
            else { return nil }
            return amount + " " + currency
        }
    }
}
