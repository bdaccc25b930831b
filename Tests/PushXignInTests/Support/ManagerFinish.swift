import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore

extension Manager {
    func finish(_ request: Request, _ activation: Activation) throws -> JSON.Object {
        let pid = String(request.path.split(separator: "/")[3])
        guard let process = processes[pid], process.account == activation.account else {
            throw Refusal(404, "process_unknown")
        }
        let body = try members(request, "assertion", "factors")
        let text = body["assertion"]?.string ?? ""
        guard let token = Token(text, key: activation.deviceKey) else {
            complain("finish: the assertion's signature is wrong")
            throw Refusal(401, "invalid_device_signature")
        }
        let hash = base64url(sha256(text.utf8))
        if let known = process.judged[hash] { return ["result": known] }
        try refuseLocked(activation)
        try refuseOver(finishing: process, activation)
        checkAssertion(token, process, activation)
        let verdicts = factors(body["factors"], hash, process, activation)
        let supplied = Set(verdicts.map(\.kind)).union(["device"])
        let role = process.plan.roles.first { $0["id"] == token.claims["role"] }
        let lists = role?["requested_authenticators"]?.array ?? []
        let isCovered = lists.contains { list in
            Set((list.array ?? []).compactMap(\.string)).isSubset(of: supplied)
        }
        guard isCovered else { throw Refusal(400, "factors_missing") }
        let result = judge(process, activation, isRight: verdicts.allSatisfy(\.isRight))
        processes[pid]?.judged[hash] = result
        return ["result": result]
    }

    private func refuseOver(finishing process: Process, _ activation: Activation) throws {
        switch process.state {
        case .open: throw Refusal(409, "process_not_started")
        case .approved: throw Refusal(409, "process_finished")
        case .rejected, .aborted: throw Refusal(410, "process_cancelled")
        case .started:
            if process.expiry <= now { throw Refusal(410, "process_expired") }
            if process.owner != activation.id { throw Refusal(409, "process_already_started") }
        }
    }

    private func judge(
        _ process: Process, _ activation: Activation, isRight: Bool
    ) -> JSON {
        if isRight {
            processes[process.pid]?.state = .approved
            processes[process.pid]?.decisions.append("approve")
            activations[activation.id]?.failures = 0
            return [
                "type": "user_login", "time": .number(.init(Int64(now))),
                "service": process.plan.service,
            ]
        }
        let failures = activation.failures + 1
        activations[activation.id]?.failures = failures
        let challenge = name("chl")
        processes[process.pid]?.challenge = challenge
        let remaining = max(process.plan.attempts - failures, 0)
        if remaining == 0 { activations[activation.id]?.isLocked = true }
        return [
            "type": "lockout", "challenge": .string(challenge),
            "lockout": [
                "kind": "attempt", "seconds": 30, "remaining": .number(.init(Int64(remaining))),
                "permanent": false,
            ],
        ]
    }

    /// `docs/vendors/xignin-oxrw.md#6-the-approval`, claim by claim.
    private func checkAssertion(_ token: Token, _ process: Process, _ activation: Activation) {
        let claims = token.claims
        let tx = process.plan.transaction.map { JSON.string(base64url(sha256($0.utf8))) } ?? .null
        let expected: [(String, JSON)] = [
            ("iss", .string(activation.id)), ("aud", .string(idm)), ("pid", .string(process.pid)),
            ("svc", process.plan.service["id"] ?? .null), ("decision", "approve"), ("tx", tx),
            ("challenge", .string(process.challenge)),
            ("exp", .number(.init(Int64(process.expiry)))),
        ]
        for (name, value) in expected where claims[name] != value {
            complain("assertion: \(name) is \(claims[name]?.text ?? "missing")")
        }
        if token.header["typ"] != "oxrw-asr+jwt" { complain("assertion: wrong typ") }
        if token.header["kid"] != .string(activation.deviceKey.thumbprint) {
            complain("assertion: wrong kid")
        }
        let jti = claims["jti"]?.string ?? ""
        if (decoded(base64url: jti)?.count ?? jti.count) < 16 { complain("assertion: short jti") }
        if !process.plan.roles.contains(where: { $0["id"] == claims["role"] }) {
            complain("assertion: no such role")
        }
        let released = claims["attrs"]?.array?.compactMap(\.string) ?? []
        let required = process.plan.info.members.filter { $0.value["requirement"] == "required" }
        if Set(released).count != released.count || claims["attrs"]?.array == nil
            || !Set(required.map(\.name)).isSubset(of: released)
            || !Set(released).isSubset(of: process.plan.info.members.map(\.name))
        {
            complain("assertion: attrs \(released)")
        }
    }

    private func factors(
        _ list: JSON?, _ hash: String, _ process: Process, _ activation: Activation
    ) -> [(kind: String, isRight: Bool)] {
        (list?.array ?? []).map { factor in
            let kind = factor["type"]?.string ?? ""
            switch kind {
            case "pin":
                guard let setup = activation.setup else { return (kind, false) }
                let text = "OXRW1-PIN\n\(process.pid)\n\(process.challenge)\n\(hash)"
                let proof = base64url(hmac(setup.verifier, text.utf8))
                return (kind, factor["proof"] == .string(proof))
            case "biometric":
                guard let key = activation.biometricKey,
                    let token = Token(factor["assertion"]?.string ?? "", key: key)
                else { return (kind, false) }
                if token.header["typ"] != "oxrw-bio+jwt" { complain("biometric: wrong typ") }
                if token.header["kid"] != .string(key.thumbprint) {
                    complain("biometric: wrong kid")
                }
                return (kind, token.claims["asr"] == .string(hash))
            default:
                complain("finish: no such factor: \(factor.text)")
                return (kind, false)
            }
        }
    }
}
