extension Resolution: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        let text = try members.optional("text") { $0.string }
        switch (try members.required("is", { $0.string }), text) {
        case ("approve", _): self = .approve
        case ("choose", let text?): self = .choose(text)
        case ("enter", let text?): self = .enter(text)
        case ("custom", let text?): self = .deny(.custom(text))
        case (let name, _):
            guard let reason = DenyReason(name: name) else {
                throw PushError(.malformed, "A record holds an unknown resolution.")
            }
            self = .deny(reason)
        }
    }

    var json: JSON {
        switch self {
        case .approve: ["is": "approve"]
        case .choose(let text): ["is": "choose", "text": .string(text)]
        case .enter(let text): ["is": "enter", "text": .string(text)]
        case .deny(let reason):
            switch reason {
            case .unexpected, .fraud, .ignore: ["is": .string(reason.name)]
            case .custom(let text): ["is": .string(reason.name), "text": .string(text)]
            }
        }
    }
}
