public import PushCore

extension PowerAuthSimulator {
    /// A line of an operation's form: an identifier and a label, and what its kind adds.
    public struct Attribute: Hashable, Sendable {
        /// Its identifier.
        public var id: String

        /// The label that the app shows.
        public var label: String

        /// What it is.
        public var kind: Kind

        /// Creates a line.
        public init(_ id: String, _ label: String, _ kind: Kind) {
            self.id = id
            self.label = label
            self.kind = kind
        }

        /// The kinds of lines.
        @nonexhaustive
        public enum Kind: Hashable, Sendable {
            /// Money.
            case amount(Money)
            /// Money in two currencies; whether the rate may still change.
            case conversion(from: Money, to: Money, isDynamic: Bool)
            /// A value.
            case value(String)
            /// A longer text.
            case note(String)
            /// A heading, which the label is; its level is left out if `nil`.
            case heading(level: Int?)
            /// A box with a type such as `WARNING`.
            case alert(type: String, title: String, message: String)
            /// Who the user deals with.
            case party(logoURL: String, name: String, description: String, websiteURL: String?)
            /// A picture.
            case image(thumbnailURL: String, originalURL: String?)
            /// A kind that has this name, with these members.
            case other(type: String, JSON.Object)
        }
    }
}

extension PowerAuthSimulator.Attribute {
    var json: JSON {
        let (type, members) = kind.members
        return .object(
            JSON.Object(
                [("type", .string(type)), ("id", .string(id)), ("label", .string(label))]
                    + members))
    }
}

extension PowerAuthSimulator.Attribute.Kind {
    fileprivate var members: (type: String, [(String, JSON)]) {
        switch self {
        case .amount(let money): return ("AMOUNT", money.members())
        case .conversion(let from, let to, let isDynamic):
            let both = from.members("source") + to.members("target")
            return ("AMOUNT_CONVERSION", [("dynamic", .bool(isDynamic))] + both)
        case .value(let value): return ("KEY_VALUE", [("value", .string(value))])
        case .note(let note): return ("NOTE", [("note", .string(note))])
        case .heading(let level): return ("HEADING", level.map { [("level", JSON($0))] } ?? [])
        case .alert(let type, let title, let message):
            let members: [(String, JSON)] = [
                ("alertType", .string(type)), ("title", .string(title)),
                ("message", .string(message)),
            ]
            return ("ALERT", members)
        case .party(let logo, let name, let description, let website):
            var party: JSON.Object = [
                "logoUrl": .string(logo), "name": .string(name),
                "description": .string(description),
            ]
            party["websiteUrl"] = website.map { .string($0) }
            return ("PARTY_INFO", [("partyInfo", .object(party))])
        case .image(let thumbnail, let original):
            let more = original.map { [("originalUrl", JSON.string($0))] } ?? []
            return ("IMAGE", [("thumbnailUrl", .string(thumbnail))] + more)
        case .other(let type, let members):
            return (type, members.members.map { ($0.name, $0.value) })
        }
    }
}

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
