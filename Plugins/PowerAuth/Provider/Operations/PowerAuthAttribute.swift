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
        let members = try? Members(json)
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

    private static func read(_ type: String?, _ members: Members?) -> Content? {
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

    fileprivate init(_ type: String, _ members: Members) throws(PushError) {
        switch type {
        case "AMOUNT": self = .amount(try .init(members, prefix: ""))
        case "AMOUNT_CONVERSION":
            guard let dynamic = members["dynamic"]?.bool else { throw Members.missing }
            self = .amountConversion(
                source: try .init(members, prefix: "source"),
                target: try .init(members, prefix: "target"), dynamic: dynamic)
        case "KEY_VALUE": self = .keyValue(try members.text("value"))
        case "NOTE": self = .note(try members.text("note"))
        case "HEADING":
            self = .heading(level: members["level"]?.integer.flatMap(Int.init(exactly:)))
        case "ALERT": self = .alert(try .init(members))
        case "PARTY_INFO": self = .partyInfo(try .init(try Members(members["partyInfo"])))
        case "IMAGE": self = .image(try .init(members))
        default: self = .unknown(type: type)
        }
    }
}
