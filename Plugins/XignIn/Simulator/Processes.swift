import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XignInSimulator {
    /// What a device asks about a process.
    func performOnProcess(
        _ id: String, _ call: Call, _ request: CheckedRequest
    ) throws(Refusal) -> JSON {
        let members = try StrictMembers(request.body)
        guard let device = activations[request.issuer], let process = processes[id],
            process.user == device.user
        else { throw .processUnknown }
        switch call {
        case .initialization: return try initialize(process, for: device, request, members)
        case .start: return try start(process, for: device, members)
        case .finish: return try finish(process, for: device, members)
        default: return try reject(process, for: device, members)
        }
    }

    /// Refuses a process that is over, or taken over by another device.
    private func requireLive(_ process: LoginProcess, for device: Activation) throws(Refusal) {
        if let refusal = process.refusal(at: configuration.now) { throw refusal }
        if case .started(let owner) = process.state, owner != device.id {
            throw .startedElsewhere
        }
    }

    /// Refuses a locked activation, and ends the process that it had taken over.
    private func requireUnlocked(_ device: Activation, in process: LoginProcess) throws(Refusal) {
        let now = configuration.now
        guard device.guesses.isLocked(at: now) else { return }
        if process.state == .started(by: device.id) { processes[process.id]?.state = .failed }
        throw .locked(device.guesses.json(.pending, at: now, by: configuration.lockouts))
    }

    /// Says what it's about, any number of times.
    private func initialize(
        _ process: LoginProcess, for device: Activation, _ request: CheckedRequest,
        _ members: StrictMembers
    ) throws(Refusal) -> JSON {
        guard let message = process.messages[device.id] else { throw .processUnknown }
        try requireLive(process, for: device)
        try requireUnlocked(device, in: process)
        guard try members.text("message_jti") == message else {
            throw .malformed("message_jti isn't this activation's message")
        }
        let known = process.initializations[device.id]
        let given = known ?? (configuration.identifier(.nonce), request.version)
        processes[process.id]?.initializations[device.id] = given
        return [
            "pid": .string(process.id), "api": .string(given.version.description),
            "expires_at": JSON(process.expiry), "nonce": .string(given.nonce),
            "service": process.service.json, "organization": process.organization.json,
        ]
    }

    /// Gives the process to the first who asks, and tells the others.
    private func start(
        _ process: LoginProcess, for device: Activation, _ members: StrictMembers
    ) throws(Refusal) -> JSON {
        try requireLive(process, for: device)
        try requireUnlocked(device, in: process)
        guard try members.text("nonce") == process.initializations[device.id]?.nonce else {
            throw .malformed("nonce isn't the one given to this activation")
        }
        var process = process
        let challenge = process.challenge ?? configuration.identifier(.challenge)
        if process.state == .open {
            process.state = .started(by: device.id)
            process.challenge = challenge
            processes[process.id] = process
            sendCancels(of: process, reason: "processed_elsewhere", exceptTo: device.id)
        }
        let factors = device.authenticators
        let transaction = process.transaction.map { text -> JSON in
            ["text": .string(text), "sha256": .string(Data.hashText(of: Data(text.utf8)))]
        }
        return [
            "pid": .string(process.id), "expires_at": JSON(process.expiry),
            "roles": .array(process.roles.map { $0.json(for: factors) }), "info": process.info,
            "service": process.service.json, "organization": process.organization.json,
            "transaction": transaction ?? .null, "challenge": .string(challenge),
        ]
    }

    /// Judges an assertion once. Sent again, it gets the recorded result, whatever factors come with
    /// it, and even if the deadline has passed or the activation is locked.
    private func finish(
        _ process: LoginProcess, for device: Activation, _ members: StrictMembers
    ) throws(Refusal) -> JSON {
        // An assertion that isn't a text repeats nothing, and is refused in its turn.
        let hash = Data.hashText(of: Data((members.object["assertion"]?.string ?? "").utf8))
        let key = "\(device.id)/\(hash)"
        if let result = process.judged[key] { return ["result": result] }
        try requireLive(process, for: device)
        guard process.state == .started(by: device.id) else { throw .notStarted }
        try requireUnlocked(device, in: process)

        let token = try members.text("assertion")
        let factors = try Factors(members.object["factors"])
        let assertion = try Assertion(token, of: device, for: process, at: configuration.identifier)
        let supplied = device.authenticators.intersection(factors.types)
        guard assertion.role.isCovered(by: supplied) else { throw .factorsMissing }
        let isRight = factors.areRight(
            for: device, process: process.id, challenge: process.challenge ?? "", hash: hash)
        let result =
            isRight ? approve(process, by: device, assertion) : refuse(process, by: device)
        processes[process.id]?.judged[key] = result
        return ["result": result]
    }

    private func approve(
        _ process: LoginProcess, by device: Activation, _ assertion: Assertion
    ) -> JSON {
        activations[device.id]?.guesses.forget()
        processes[process.id]?.state = .approved
        processes[process.id]?.released = JSON.Object(
            process.attributes.filter { assertion.attributes.contains($0.name) }
                .map { ($0.name, process.value(of: $0)) })
        return [
            "type": "user_login", "time": JSON(configuration.now), "service": process.service.json,
        ]
    }

    private func refuse(_ process: LoginProcess, by device: Activation) -> JSON {
        let now = configuration.now
        let policy = configuration.lockouts
        var guesses = device.guesses
        guesses.fail(at: now, by: policy)
        activations[device.id]?.guesses = guesses
        let challenge = configuration.identifier(.challenge)
        processes[process.id]?.challenge = challenge
        return [
            "type": "lockout", "lockout": guesses.json(.attempt, at: now, by: policy),
            "challenge": .string(challenge),
        ]
    }

    /// Ends the process for all devices, also if another one has taken it over, and also if the
    /// activation is locked.
    private func reject(
        _ process: LoginProcess, for device: Activation, _ members: StrictMembers
    ) throws(Refusal) -> JSON {
        if process.state != .rejected(by: device.id) {
            if let refusal = process.refusal(at: configuration.now) { throw refusal }
            guard ["user_declined", "not_me"].contains(try members.text("reason")) else {
                throw .malformed("reason is neither user_declined nor not_me")
            }
            processes[process.id]?.state = .rejected(by: device.id)
            sendCancels(of: process, reason: "aborted", exceptTo: device.id)
        }
        return ["result": ["type": "rejected"]]
    }
}
