import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore

extension Manager {
    /// What the next processes ask.
    struct Plan: Sendable {
        var roles: [JSON] = [
            [
                "id": "user", "name": "User",
                "requested_authenticators": [["biometric", "device"], ["pin", "device"]],
            ]
        ]
        var info: JSON.Object = [
            "email": ["requirement": "required", "value": "alice@demo.example"],
            "birthdate": ["requirement": "optional", "value": nil],
        ]
        var transaction: String? = WorkedExample.transaction
        var service: JSON = ["id": "svc-1", "name": "Demo Shop"]
        var organization: JSON = [
            "name": "Demo GmbH", "website_url": "https://demo.example", "address": nil,
            "description": nil,
        ]
        var lifetime = 180
        var attempts = 3
    }

    struct Process: Sendable {
        enum State: Hashable, Sendable {
            case open, started, approved, rejected(by: String), aborted
        }

        let pid: String
        let account: String
        let plan: Plan
        let expiry: Int
        var state = State.open
        var messages: [String: String] = [:]
        var nonces: [String: String] = [:]
        var owner: String?
        var challenge = ""
        /// By the assertion's hash, what was said to it.
        var judged: [String: JSON] = [:]
        /// Every decision the manager took.
        var decisions: [String] = []
    }

    /// Starts a process for an account, and sends each of its devices a push.
    @discardableResult
    func begin(_ account: String = WorkedExample.account) -> String {
        let pid = name("prc")
        processes[pid] = Process(
            pid: pid, account: account, plan: plan, expiry: now + plan.lifetime)
        for activation in activations.values.sorted(by: { $0.id < $1.id })
        where activation.account == account && activation.token != nil {
            let push = push(pid, to: activation.id)
            processes[pid]?.messages[activation.id] = push.claims["jti"]?.string
            outbox.append((activation.id, push))
        }
        return pid
    }

    /// A push for a process or for none, signed by nobody yet.
    func push(
        _ pid: String, to activation: String, kind: String = "authentication",
        ignorable: Bool = false
    ) -> Push {
        let expiry = processes[pid]?.expiry ?? now + 180
        var claims: JSON.Object = [
            "iss": .string(idm), "aud": .string(activation), "jti": .string(name("msg")),
            "iat": .number(.init(Int64(now))), "exp": .number(.init(Int64(expiry))),
            "pid": .string(pid), "msg": .string(kind), "ign": .bool(ignorable), "min_api": "1.0.0",
        ]
        if kind == "authentication" {
            claims["title"] = "Sign-in request"
            claims["message"] = "Tap to continue"
            claims["prio"] = "high"
        }
        return Push(
            [
                "alg": "ES256", "typ": "oxrw-push+jwt",
                "kid": .string(signer.publicKey.thumbprint), "idm": .string(idm),
            ], claims)
    }

    func cancel(
        _ pid: String, to activation: String, reason: String, ignorable: Bool = false
    ) -> Push {
        push(pid, to: activation, kind: "cancel", ignorable: ignorable)
            .with("reason", .string(reason))
    }

    /// Takes a process back, and tells all devices.
    func abort(_ pid: String) {
        processes[pid]?.state = .aborted
        tell(pid, reason: "aborted", but: nil)
    }

    private func tell(_ pid: String, reason: String, but spared: String?) {
        let account = processes[pid]?.account
        for activation in activations.values.sorted(by: { $0.id < $1.id })
        where activation.account == account && activation.id != spared && activation.token != nil {
            outbox.append((activation.id, cancel(pid, to: activation.id, reason: reason)))
        }
    }

    /// The pushes for an activation, or all, and none of them twice.
    func take(for activation: String? = nil) throws -> [[String: String]] {
        let mine = outbox.filter { activation == nil || $0.activation == activation }
        outbox.removeAll { activation == nil || $0.activation == activation }
        return try mine.map { try $0.push.data(signer) }
    }

    private func living(_ request: Request, _ activation: Activation) throws -> Process {
        let pid = String(request.path.split(separator: "/")[3])
        guard let process = processes[pid], process.account == activation.account else {
            throw Refusal(404, "process_unknown")
        }
        return process
    }

    private func refuseOver(_ process: Process) throws {
        switch process.state {
        case .approved, .rejected: throw Refusal(409, "process_finished")
        case .aborted: throw Refusal(410, "process_cancelled")
        case .open, .started:
            if process.expiry <= now { throw Refusal(410, "process_expired") }
        }
    }

    func initialize(_ request: Request, _ activation: Activation) throws -> JSON.Object {
        let process = try living(request, activation)
        let body = try members(request, "message_jti")
        guard body["message_jti"]?.string == process.messages[activation.id] else {
            complain("initialization: not the jti of the message")
            throw Refusal(400, "malformed_request")
        }
        try refuseLocked(activation)
        try refuseOver(process)
        let nonce = process.nonces[activation.id] ?? name("n")
        processes[process.pid]?.nonces[activation.id] = nonce
        return [
            "pid": .string(process.pid), "api": "1.0.0",
            "expires_at": .number(.init(Int64(process.expiry))), "nonce": .string(nonce),
            "service": process.plan.service, "organization": process.plan.organization,
        ]
    }

    func start(_ request: Request, _ activation: Activation) throws -> JSON.Object {
        var process = try living(request, activation)
        let body = try members(request, "nonce")
        guard body["nonce"]?.string == process.nonces[activation.id] else {
            complain("start: not the nonce of the initialization")
            throw Refusal(400, "malformed_request")
        }
        try refuseLocked(activation)
        try refuseOver(process)
        if let owner = process.owner, owner != activation.id {
            throw Refusal(409, "process_already_started")
        }
        if process.owner == nil {
            (process.owner, process.state) = (activation.id, .started)
            process.challenge = name("chl")
            processes[process.pid] = process
            tell(process.pid, reason: "processed_elsewhere", but: activation.id)
        }
        let transaction = process.plan.transaction.map { text -> JSON in
            ["text": .string(text), "sha256": .string(base64url(sha256(text.utf8)))]
        }
        return [
            "pid": .string(process.pid), "expires_at": .number(.init(Int64(process.expiry))),
            "roles": .array(process.plan.roles), "info": .object(process.plan.info),
            "service": process.plan.service, "organization": process.plan.organization,
            "transaction": transaction ?? .null, "challenge": .string(process.challenge),
        ]
    }

    func refuseLocked(_ activation: Activation) throws {
        guard activations[activation.id]?.isLocked == true else { return }
        throw Refusal(
            403, "activation_locked",
            [
                "lockout": [
                    "kind": "pending", "seconds": 600, "remaining": nil, "permanent": false,
                ]
            ])
    }

    func reject(_ request: Request, _ activation: Activation) throws -> JSON.Object {
        let process = try living(request, activation)
        let body = try members(request, "reason")
        guard ["user_declined", "not_me"].contains(body["reason"]?.string) else {
            complain("reject: no such reason")
            throw Refusal(400, "malformed_request")
        }
        if process.state == .rejected(by: activation.id) {
            return ["result": ["type": "rejected"]]
        }
        try refuseOver(process)
        processes[process.pid]?.state = .rejected(by: activation.id)
        processes[process.pid]?.decisions.append("reject \(body["reason"]?.string ?? "")")
        tell(process.pid, reason: "aborted", but: activation.id)
        return ["result": ["type": "rejected"]]
    }

    func state(of pid: String) -> Process.State? { processes[pid]?.state }
    func decisions(_ pid: String) -> [String] { processes[pid]?.decisions ?? [] }
}
