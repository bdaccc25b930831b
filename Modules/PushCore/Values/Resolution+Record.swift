extension Resolution: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        let text = try members.optional("text") { $0.string }
        switch (try members.required("is", { $0.string }), text) {
        case ("approve", _): self = .approve
        case ("choose", let text?): self = .choose(text)
        case ("enter", let text?): self = .enter(text)
        case ("unexpected", _): self = .deny(.unexpected)
        case ("fraud", _): self = .deny(.fraud)
        case ("ignore", _): self = .deny(.ignore)
        case ("custom", let text?): self = .deny(.custom(text))
        default: throw PushError(.malformed, "A record holds an unknown resolution.")
        }
    }

    var json: JSON {
        switch self {
        case .approve: ["is": "approve"]
        case .choose(let text): ["is": "choose", "text": .string(text)]
        case .enter(let text): ["is": "enter", "text": .string(text)]
        case .deny(.unexpected): ["is": "unexpected"]
        case .deny(.fraud): ["is": "fraud"]
        case .deny(.ignore): ["is": "ignore"]
        case .deny(.custom(let text)): ["is": "custom", "text": .string(text)]
        }
    }
}
