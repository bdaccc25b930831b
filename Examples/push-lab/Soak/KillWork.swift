import PushCore

/// What a device is asked to do while its process is killed, and how far it says it came.
enum KillWork: Sendable {
    /// A login to be received, unless it was, and answered: by the choices in turn.
    case login(LoginFacts, [Choice])
    case enroll(user: String, code: String)
    case token(String)

    /// What the device acknowledged.
    enum Result: Sendable {
        case login(LoginFacts, planned: [Choice])
        case enrollment(user: String)
        case token(String, isAcknowledged: Bool)
    }

    /// Asks for it, until it is done or the process ends.
    ///
    /// - Throws: A refusal that nothing explains.
    func run(on device: Peer) async throws -> Result {
        switch self {
        case .login(let login, let choices):
            return .login(try await Self.answer(login, choices, on: device), planned: choices)
        case .enroll(let user, let code):
            do {
                try await device.call("enroll", ["code": .string(code)])
            } catch Peer.Failure.ended {
            } catch Peer.Failure.refused(let code, _) where code.hasPrefix("server") {
                // The server was in trouble: nobody is enrolled.
            }
            return .enrollment(user: user)
        case .token(let token):
            do {
                try await device.call("token", ["token": .string(token)])
                return .token(token, isAcknowledged: true)
            } catch Peer.Failure.ended {
                return .token(token, isAcknowledged: false)
            }
        }
    }

    /// Receives a login and answers it.
    static func answer(
        _ login: LoginFacts, _ choices: [Choice], on device: Peer
    ) async throws -> LoginFacts {
        var login = login
        do {
            if login.names == nil {
                try login.note(
                    delivery: await device.call("receive", ["payload": .string(login.payload)]))
            }
            guard let names = login.names else { return login }
            for choice in choices {
                let reply = try await device.call(
                    "answer",
                    [
                        "mechanism": .string(names.mechanism),
                        "challenge": .string(names.challenge), "choice": .string("\(choice)"),
                    ])
                let outcome = try reply.text("outcome")
                login.acknowledged.append(.init(choice: choice, outcome: outcome))
                guard outcome == "may retry" else { break }
            }
        } catch Peer.Failure.ended {
            // It was killed. What it had acknowledged counts.
        }
        return login
    }
}
