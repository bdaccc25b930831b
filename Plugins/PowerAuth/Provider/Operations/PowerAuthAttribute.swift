import PushCore

/// One thing that an operation is about; untrusted texts.
public struct PowerAuthAttribute: Hashable, Sendable, Identifiable {
    /// What an attribute holds, by its `type`.
    @nonexhaustive
    public enum Content: Hashable, Sendable {
        /// `AMOUNT`: an amount of money.
        case amount(Money)
        /// `AMOUNT_CONVERSION`: an amount in two currencies. `dynamic` says whether the rate may
        /// still change.
        case amountConversion(source: Money, target: Money, dynamic: Bool)
        /// `KEY_VALUE`: a short text.
        case keyValue(String)
        /// `NOTE`: a text that may be long.
        case note(String)
        /// `HEADING`: the label is a heading, of this level if the server tells one.
        case heading(level: Int?)
        /// `ALERT`: something to point out.
        case alert(Alert)
        /// `PARTY_INFO`: whom it concerns.
        case partyInfo(PartyInfo)
        /// `IMAGE`: a picture.
        case image(Image)
        /// A type that this version doesn't know, as it came. The operation can only be rejected.
        case unknown(type: String)
        /// What the type promises can't be read; `nil` if there is no type either. The operation
        /// can only be rejected.
        case unreadable(type: String?)
    }

    /// The identifier within the operation; empty if the server sent none.
    public let id: String

    /// What it is called; empty if the server sent no text for that.
    public let label: String

    /// What it holds.
    public let content: Content

    /// Why a user who sees it hasn't seen all of it; `nil` if it's whole.
    let defect: String?

    /// Reads an attribute, as far as it can be read: nobody approves what nobody saw, so one that
    /// can't be isn't left out.
    init(_ json: JSON) {
        let members = try? MemberReader(json)
        let type = members?["type"]?.string
        let label = members?["label"]?.string
        let name = members?["id"]?.string
        id = name ?? ""
        self.label = label ?? ""
        content = Self.read(type, members) ?? .unreadable(type: type)
        let value = content.value
        defect =
            switch content {
            case .unreadable: "A part of it can't be read."
            case .unknown: "A part of it is of a kind that isn't known here."
            case _ where label.map(DisplayText.isBlank) ?? true: "A part of it has no label."
            case _ where name == nil: "A part of it can't be read."
            // An empty text says nothing, and hides nothing.
            case _ where !value.isEmpty && DisplayText.isBlank(value):
                "A part of it can't be read."
            default: nil
            }
    }

    private static func read(_ type: String?, _ members: MemberReader?) -> Content? {
        guard let type, let members else { return nil }
        return try? Content(type, members)
    }
}

extension PowerAuthAttribute.Content {
    /// What stands beside the label.
    var value: String {
        switch self {
        case .amount(let money): money.shown ?? ""
        case .amountConversion(let source, let target, _):
            (source.shown ?? "") + " → " + (target.shown ?? "")
        case .keyValue(let text), .note(let text): text
        case .heading, .unknown, .unreadable: ""
        case .alert(let alert): Self.lines([alert.title, alert.message])
        case .partyInfo(let info): Self.lines([info.name, info.description, info.websiteUrl])
        case .image(let image): image.originalUrl ?? image.thumbnailUrl
        }
    }

    private static func lines(_ texts: [String?]) -> String {
        texts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    fileprivate init(_ type: String, _ members: MemberReader) throws(PushError) {
        switch type {
        case "AMOUNT": self = .amount(try .init(members, prefix: ""))
        case "AMOUNT_CONVERSION":
            self = .amountConversion(
                source: try .init(members, prefix: "source"),
                target: try .init(members, prefix: "target"),
                dynamic: try members.bool("dynamic"))
        case "KEY_VALUE": self = .keyValue(try members.text("value"))
        case "NOTE": self = .note(try members.text("note"))
        case "HEADING":
            self = .heading(level: members["level"]?.integer.flatMap(Int.init(exactly:)))
        case "ALERT": self = .alert(try .init(members))
        case "PARTY_INFO": self = .partyInfo(try .init(try MemberReader(members["partyInfo"])))
        case "IMAGE": self = .image(try .init(members))
        default: self = .unknown(type: type)
        }
    }
}

extension PowerAuthAttribute {
    /// An amount of money. Raw or formatted parts may be missing, but not both.
    public struct Money: Hashable, Sendable {
        /// The amount as an exact decimal number, such as `100.5`; `nil` if the server sent none.
        /// Make a `Decimal` of it to compute.
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
        ///   parts tell both amount and currency, or if one of them is of another type or blank, or a
        ///   number of more digits than JSON keeps exactly.
        init(_ members: MemberReader, prefix: String) throws(PushError) {
            func key(_ name: String) -> String {
                prefix.isEmpty ? name : prefix + name.prefix(1).uppercased() + name.dropFirst()
            }
            let raw = members[key("amount")]
            amount = DecimalText.text(raw)
            currency = try members.optionalText(key("currency"))
            amountFormatted = try members.optionalText(key("amountFormatted"))
            currencyFormatted = try members.optionalText(key("currencyFormatted"))
            valueFormatted = try members.optionalText(key("valueFormatted"))
            // A raw amount that can't be told exactly must not hide behind a formatted one.
            let isNumber = amount != nil || raw == nil
            // Nobody sees an amount whose text or currency is blank.
            let texts = [currency, amountFormatted, currencyFormatted, valueFormatted]
            let isSeen = !texts.lazy.compactMap(\.self).contains(where: DisplayText.isBlank)
            guard isNumber, isSeen, shown != nil else {
                throw MemberReader.wrong(key("amount"))
            }
        }

        /// What to show: the raw parts wherever there are any, and the formatted ones beside them, as
        /// a text that the server chose must not stand for an amount that it doesn't say.
        var shown: String? {
            let formatted =
                valueFormatted
                ?? Self.both(
                    amountFormatted ?? amount, currencyFormatted ?? currency)
            guard let formatted else { return nil }
            guard amount != nil || currency != nil else { return formatted }
            let raw = [amount ?? amountFormatted, currency ?? currencyFormatted]
                .compactMap(\.self).joined(separator: " ")
            return raw.utf8.elementsEqual(formatted.utf8) ? raw : raw + " (" + formatted + ")"
        }

        private static func both(_ amount: String?, _ currency: String?) -> String? {
            guard let amount, let currency else { return nil }
            return amount + " " + currency
        }
    }
}

extension PowerAuthAttribute {
    /// Something to point out.
    public struct Alert: Hashable, Sendable {
        /// How serious it is.
        @nonexhaustive
        public enum Kind: Hashable, Sendable {
            /// `SUCCESS`.
            case success
            /// `INFO`.
            case info
            /// `WARNING`.
            case warning
            /// `ERROR`.
            case error
            /// A kind that this version doesn't know, as it came.
            case unknown(String)

            init(_ text: String) {
                switch text {
                case "SUCCESS": self = .success
                case "INFO": self = .info
                case "WARNING": self = .warning
                case "ERROR": self = .error
                default: self = .unknown(text)
                }
            }
        }

        /// How serious it is.
        public let alertType: Kind

        /// What it is called.
        public let title: String?

        /// What it says.
        public let message: String?

        init(_ members: MemberReader) throws(PushError) {
            alertType = Kind(try members.text("alertType"))
            title = try members.optionalText("title")
            message = try members.optionalText("message")
            guard title != nil || message != nil else { throw MemberReader.wrong("title") }
        }
    }

    /// Whom an operation concerns.
    public struct PartyInfo: Hashable, Sendable {
        /// Where its logo is: a text that nobody has checked.
        public let logoUrl: String?

        /// Its name.
        public let name: String

        /// What it is.
        public let description: String?

        /// Where its website is: a text that nobody has checked.
        public let websiteUrl: String?

        init(_ members: MemberReader) throws(PushError) {
            name = try members.text("name")
            guard !DisplayText.isBlank(name) else { throw MemberReader.wrong("name") }
            logoUrl = try members.optionalText("logoUrl")
            description = try members.optionalText("description")
            websiteUrl = try members.optionalText("websiteUrl")
        }
    }

    /// A picture.
    public struct Image: Hashable, Sendable {
        /// Where a small copy is: a text that nobody has checked.
        public let thumbnailUrl: String

        /// Where the picture is: a text that nobody has checked.
        public let originalUrl: String?

        init(_ members: MemberReader) throws(PushError) {
            thumbnailUrl = try members.text("thumbnailUrl")
            originalUrl = try members.optionalText("originalUrl")
        }
    }
}
