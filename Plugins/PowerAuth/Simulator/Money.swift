public import PushCore

extension PowerAuthSimulator {
    /// An amount, raw, formatted, or both.
    public struct Money: Hashable, Sendable {
        /// The amount as a JSON number, or whatever a test wants there; left out if `nil`.
        public var amount: JSON?

        /// The currency, such as `EUR`.
        public var currency: String?

        /// The amount as it is shown.
        public var amountFormatted: String?

        /// The currency as it is shown.
        public var currencyFormatted: String?

        /// Both as they are shown.
        public var valueFormatted: String?

        /// Creates an amount; without further texts it has no formatted members.
        public init(_ amount: JSON?, _ currency: String?, shown: String? = nil) {
            self.amount = amount
            self.currency = currency
            valueFormatted = shown
        }

        /// Its members, after a prefix that makes `amount` `sourceAmount`.
        func members(_ prefix: String = "") -> [(String, JSON)] {
            let all: [(String, JSON?)] = [
                ("amount", amount), ("currency", currency.map { .string($0) }),
                ("amountFormatted", amountFormatted.map { .string($0) }),
                ("currencyFormatted", currencyFormatted.map { .string($0) }),
                ("valueFormatted", valueFormatted.map { .string($0) }),
            ]
            return all.compactMap { name, value in
                guard let value else { return nil }
                let rest = name.dropFirst()
                return (prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + rest, value)
            }
        }
    }
}
