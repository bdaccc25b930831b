import PushCore

/// Takes out of JSON what might be secret or personal.
struct Redaction {
    /// Whether it leaves everything as it is.
    let reveals: Bool

    /// The longest text that stays, in characters.
    private static let longest = 6

    /// Parts of names below which no text, number or boolean stays.
    private static let secretive = [
        "secret", "pass", "pin", "token", "key", "code", "cookie", "auth", "challenge", "otp",
    ]

    /// Names of headers and members whose texts are words of a protocol, never of a person.
    private static let plain: Set = ["alg", "typ"]

    func callAsFunction(_ json: JSON) -> JSON { redacted(json, named: "") }

    func callAsFunction(_ object: JSON.Object) -> JSON { redacted(.object(object), named: "") }

    /// A text of a stranger, for which a name says what it is.
    func callAsFunction(_ text: String, named name: String) -> JSON {
        redacted(.string(text), named: name)
    }

    /// `isBelowSecret` says whether something around it has a name like a secret's.
    private func redacted(_ json: JSON, named name: String, isBelowSecret: Bool = false) -> JSON {
        if reveals { return json }
        let name = name.lowercased()
        let isSecret = isBelowSecret || Self.secretive.contains { name.contains($0) }
        switch json {
        case .string(let text):
            let isShort = text.count <= Self.longest || Self.plain.contains(name)
            return !isSecret && isShort ? json : .string("<\(text.count) characters>")
        case .number: return isSecret ? "<number>" : json
        case .bool: return isSecret ? "<boolean>" : json
        case .array(let values):
            return .array(values.map { redacted($0, named: name, isBelowSecret: isSecret) })
        case .object(let object):
            return .object(
                JSON.Object(
                    object.members.map {
                        ($0.name, redacted($0.value, named: $0.name, isBelowSecret: isSecret))
                    }))
        default: return json
        }
    }
}
