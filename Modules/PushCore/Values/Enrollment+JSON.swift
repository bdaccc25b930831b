extension Enrollment.ID: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            try members.required("name") { $0.string },
            of: ProviderID(rawValue: try members.required("provider") { $0.string }))
    }

    var json: JSON { ["provider": .string(provider.rawValue), "name": .string(name)] }
}

extension Enrollment.State: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        switch try members.required("is", { $0.string }) {
        case "active": self = .active
        case "blocked": self = .blocked(try members.required("why") { $0.string })
        case "needsReenrollment": self = .needsReenrollment
        case "unconfirmed": self = .pending(.unconfirmed)
        case "comparison":
            self = .pending(.comparison(code: try members.required("code") { $0.string }))
        case "deviceToken": self = .pending(.deviceToken)
        default: throw PushError(.malformed, "An enrollment is in an unknown state.")
        }
    }

    var json: JSON {
        switch self {
        case .active: ["is": "active"]
        case .blocked(let why): ["is": "blocked", "why": .string(why)]
        case .needsReenrollment: ["is": "needsReenrollment"]
        case .pending(.unconfirmed): ["is": "unconfirmed"]
        case .pending(.comparison(let code)): ["is": "comparison", "code": .string(code)]
        case .pending(.deviceToken): ["is": "deviceToken"]
        }
    }
}

extension Enrollment: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            id: try members.required("id") { (json) throws(PushError) in try ID(json: json) },
            issuer: try members.optional("issuer") { $0.string },
            account: try members.optional("account") { $0.string },
            host: try members.optional("host") { $0.string },
            port: try members.optional("port") { $0.integer.flatMap { Int(exactly: $0) } } ?? 443,
            state: try members.required("state") { (json) throws(PushError) in
                try State(json: json)
            },
            created: try members.required("created") { $0.date })
        isTokenDoubtful = try members.optional("tokenDoubtful") { $0.bool } ?? false
        deviceToken = try members.optional("deviceToken") { (json) throws(PushError) in
            try DeviceToken(json: json)
        }
    }

    var json: JSON {
        [
            "id": id.json, "issuer": JSON(issuer), "account": JSON(account), "host": JSON(host),
            "port": .number(.init(Int64(port))), "state": state.json, "created": JSON(created),
            "deviceToken": deviceToken?.json ?? .null,
            "tokenDoubtful": isTokenDoubtful ? true : .null,
        ]
    }
}
