import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

extension PowerAuthBank {
    /// A payment that wants a proximity code.
    static var near: PowerAuthSimulator.OperationTemplate {
        var template = PowerAuthSimulator.OperationTemplate.payment
        template.needsProximity = true
        return template
    }

    func pay() async throws -> String {
        var statuses: [String] = []
        var last: PowerAuthRequest?
        for version in PowerAuthVersion.allCases {
            let head = try await request(.post, "/secured/payment")
            let (made, reply) = try await manager(version).requests.inTurn {
                [pin] (builder) async throws(PushError) -> (PowerAuthRequest, PowerAuthReply) in
                let made = try await builder.signed(
                    head, body: Data("{}".utf8), resource: "/secured/payment", factors: pin)
                return (made, try await builder.send(made))
            }
            statuses.append("\(reply.response.status.code)")
            last = made
        }
        guard let last else { return "nothing signed" }
        let again = try await phone.device.environment.transport.send(last.head, body: last.body)
        // The repeated one counts as a failed attempt, which the next right one takes back.
        return statuses.joined(separator: ", ") + "; once more: \(again.response.status.code)"
    }

    func loseReply() async throws -> String {
        let head = try await request(.post, "/secured/payment")
        let (host, requests) = (phone.host, try await manager().requests)
        let lost = await Result { () async throws(PushError) in
            try await requests.inTurn { [pin] (builder) async throws(PushError) in
                let made = try await builder.signed(
                    head, resource: "/secured/payment", factors: pin)
                await host.loseNextReply()
                return try await builder.send(made)
            }
        }
        guard case .failure(let error) = lost else { return "not lost" }
        let fate = (error.underlying as? PowerAuthLostReply).map { "\($0)" } ?? "nobody asked"
        let next = try await sent(.post, "/secured/payment")
        return "\(error.code), \(fate); the next: \(next)"
    }

    func mistypeAtVault() async throws -> String {
        let before = await phone.simulator.unlockReasons.count
        let refusal = await refusal {
            try await manager().vault.signature(
                over: Data("x".utf8), by: .pin(Secret("0000".utf8)))
        }
        let attempts = try await lab.activation().failedAttempts
        _ = try await dataKey()
        let opened = await phone.simulator.unlockReasons.count - before
        return "\(refusal), \(attempts == 1 ? "asked once" : "\(attempts) attempts"); "
            + (opened == 1 ? "the right one opens it" : "opened \(opened) times")
    }

    func changePIN() async throws -> String {
        let (right, new) = (Secret(FingerUser.right.utf8), Secret("13579".utf8))
        let manager = try await manager()
        let wrong = await refusal {
            try await manager.changePIN(from: Secret("0000".utf8), to: new)
        }
        try await manager.changePIN(from: right, to: new)
        let taken = await refusal { try await manager.validatePIN(new) }
        try await manager.changePIN(from: new, to: right)
        return "wrong old one: \(wrong); changed; "
            + (taken == "not refused" ? "the new one is taken" : taken)
    }

    func comeNear() async throws -> String {
        let operation = try await phone.simulator.createOperation(
            for: nil, Self.near)
        let link = try await phone.simulator.proximityLink(of: operation.id)
        let receptions = try await phone.authenticator.receive(
            PushMessage(text: link, by: .scanned))
        guard let id = receptions.first(where: { $0.challenge?.name == operation.id })?.challenge
        else { return "not found" }
        let owner = try await phone.simulator.operation(operation.id).user
        let challenge = try await phone.authenticator.challenge(id)
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        let status = try await phone.simulator.status(of: operation.id)
        return "\(owner ?? "nobody")'s; \(outcome), \(status)"
    }

    // MARK: Parts

    func provider(
        _ version: PowerAuthVersion = .v3_3
    ) async throws -> PowerAuth {
        var configuration = try PowerAuthLab.configuration(
            lab.application, at: await phone.simulator.origin)
        configuration.version = version
        return PowerAuth(configuration: configuration, in: phone.device.environment)
    }

    func enrollment() async throws -> Enrollment.ID {
        Enrollment.ID(try await lab.activation().id, of: try await provider().id)
    }

    func manager(_ version: PowerAuthVersion = .v3_3) async throws -> PowerAuthManager {
        try PowerAuthManager(
            phone.authenticator, provider: try await provider(version),
            enrollment: try await enrollment())
    }

    func dataKey() async throws -> Secret {
        try await manager().vault.withEncryptionKey(
            PowerAuthEncryptionKeyName(index: 7), by: pin
        ) { (key) throws(PushError) in key }
    }

    func request(
        _ method: HTTPRequest.Method, _ path: String
    ) async throws -> HTTPRequest {
        let server = try Endpoint(await phone.simulator.origin)
        return HTTPRequest(
            method: method, scheme: server.scheme, authority: server.authority, path: path)
    }

    /// The status that a request gets that the PIN signed.
    func sent(_ method: HTTPRequest.Method, _ path: String) async throws -> String {
        let head = try await request(method, path)
        let resource = String(path.prefix { $0 != "?" })
        let reply = try await manager().requests.inTurn {
            [pin] (builder) async throws(PushError) in
            try await builder.send(
                try await builder.signed(head, resource: resource, factors: pin))
        }
        return "\(reply.response.status.code)"
    }

    func said(_ reply: PowerAuthReply, _ name: String) -> String {
        reply.opened
            .flatMap { try? JSON(parsing: Data($0.withBytes { Array($0) })) }?[name]?.string
            ?? "nothing opened"
    }

    func refusal<Value>(_ body: () async throws -> Value) async -> String {
        do {
            _ = try await body()
            return "not refused"
        } catch let error as PushError {
            if case .notTaken = error.code { return "not taken" }
            return "\(error.code)"
        } catch {
            return "\(error)"
        }
    }
}
