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
        /// A type that this version doesn't know, as it came.
        case unknown(type: String)
    }

    /// The identifier within the operation.
    public let id: String

    /// What it is called.
    public let label: String

    /// What it holds.
    public let content: Content

    /// `nil` if it can't be read.
    init?(_ json: JSON) {
        guard let members = json.object, let id = members["id"]?.string,
            let label = members["label"]?.string, let type = members["type"]?.string,
            let content = Content(type, members)
        else { return nil }
        self.id = id
        self.label = label
        self.content = content
    }
}

extension PowerAuthAttribute.Content {
    fileprivate init?(_ type: String, _ members: JSON.Object) {
        switch type {
        case "AMOUNT":
            guard let money = PowerAuthAttribute.Money(members, prefix: "") else { return nil }
            self = .amount(money)
        case "AMOUNT_CONVERSION":
            guard let source = PowerAuthAttribute.Money(members, prefix: "source"),
                let target = PowerAuthAttribute.Money(members, prefix: "target"),
                let dynamic = members["dynamic"]?.bool
            else { return nil }
            self = .amountConversion(source: source, target: target, dynamic: dynamic)
        case "KEY_VALUE":
            guard let value = members["value"]?.string else { return nil }
            self = .keyValue(value)
        case "NOTE":
            guard let note = members["note"]?.string else { return nil }
            self = .note(note)
        case "HEADING":
            self = .heading(level: members["level"]?.integer.flatMap(Int.init(exactly:)))
        case "ALERT":
            guard let alert = PowerAuthAttribute.Alert(members) else { return nil }
            self = .alert(alert)
        case "PARTY_INFO":
            guard let info = members["partyInfo"]?.object.flatMap(PowerAuthAttribute.PartyInfo.init)
            else { return nil }
            self = .partyInfo(info)
        case "IMAGE":
            guard let image = PowerAuthAttribute.Image(members) else { return nil }
            self = .image(image)
        default: self = .unknown(type: type)
        }
    }
}
