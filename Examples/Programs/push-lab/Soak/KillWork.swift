import PushCore

/// What a device is asked to do while its process is killed, and how far it says it came.
enum KillWork: Sendable {
    /// A login to be received, unless it was, and answered: by the choices in turn, at the first of
    /// which the user may mistype the PIN.
    case login(LoginFacts, [Choice], mistyping: Bool = false)
    case enroll(user: String, code: String)
    case token(String)

    /// Whether it is a yes that takes a PIN.
    var takesPIN: Bool {
        guard case .login(let login, let choices, _) = self else { return false }
        return login.vendor == .part && choices.contains(.approve)
    }

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
        case .login(let login, let choices, let mistyping):
            let answered = try await Self.answer(
                login, choices, mistyping: mistyping, on: device)
            return .login(answered, planned: choices)
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
        _ login: LoginFacts, _ choices: [Choice], mistyping: Bool = false, on device: Peer
    ) async throws -> LoginFacts {
        var login = login
        do {
            if login.names == nil {
                try login.note(
                    delivery: await device.call("receive", ["payload": .string(login.payload)]))
            }
            for (index, choice) in choices.enumerated() {
                guard var call = login.arguments else { break }
                call["choice"] = .string("\(choice)")
                call["mistype"] = .bool(mistyping && index == 0)
                let outcome = try await outcome(of: call, on: device)
                login.acknowledged.append(.init(choice: choice, outcome: outcome))
                guard outcome == "may retry" else { break }
            }
        } catch Peer.Failure.ended {
            // It was killed. What it had acknowledged counts.
        }
        return login
    }

    /// Asks for a decision. A manager in trouble can't be asked what the login is about: the user
    /// opens it once more.
    private static func outcome(of call: JSON.Object, on device: Peer) async throws -> String {
        var rest = 20
        while true {
            do {
                return try await device.call("answer", call).text("outcome")
            } catch Peer.Failure.refused(let code, _)
                where code.hasPrefix("server") && rest > 0
                && call["vendor"]?.string == SoakVendor.part.name
            {
                rest -= 1
            }
        }
    }

    // MARK: Answers that were kept in part

    /// Resumes, and lets the user make again what only the user can, until all is done or the process
    /// ends.
    static func resume(_ logins: [LoginFacts], on device: Peer) async throws -> [LoginFacts] {
        guard let outcomes = try? await device.call("resume") else { return logins }
        var resumed: [LoginFacts] = []
        for login in logins { resumed.append(try await login.madeAgain(outcomes, on: device)) }
        return resumed
    }
}

extension LoginFacts {
    /// The same after the user has made the answer again, if resuming said that only the user can:
    /// the same decision, with the PIN.
    ///
    /// - Parameters:
    ///   - outcomes: What the device replied to `resume`.
    ///   - device: The device.
    /// - Returns: What the login's page shows then.
    /// - Throws: What the device or the server fails by.
    func madeAgain(_ outcomes: JSON, on device: Peer) async throws -> LoginFacts {
        guard let names, outcomes[names.challenge]?.string == "verify again" else { return self }
        do {
            var login = try await KillWork.answer(self, [.approve], on: device)
            if login.acknowledged.count > acknowledged.count { login.timesMadeAgain += 1 }
            return login
        } catch Peer.Failure.refused("over", _) {
            // The answer before was taken after all, and resuming finds that out.
            return self
        }
    }
}
