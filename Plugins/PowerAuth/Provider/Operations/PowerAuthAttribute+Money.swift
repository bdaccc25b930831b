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

        /// `nil` if neither the raw nor the formatted parts tell both amount and currency.
        init?(_ members: JSON.Object, prefix: String) {
            func member(_ name: String) -> JSON? {
                guard !prefix.isEmpty else { return members[name] }
                return members[prefix + name.prefix(1).uppercased() + name.dropFirst()]
            }
            amount = DecimalText.text(member("amount"))
            currency = member("currency")?.string
            amountFormatted = member("amountFormatted")?.string
            currencyFormatted = member("currencyFormatted")?.string
            valueFormatted = member("valueFormatted")?.string
            guard shown != nil else { return nil }
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
