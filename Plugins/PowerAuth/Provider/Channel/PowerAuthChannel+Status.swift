import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of an activation, which the server tells to whoever can open the answer.
extension PowerAuthChannel {
    /// Asks for the state, sets the counter right, and writes both down.
    ///
    /// An answer that can't be opened is how a server says that it knows no such activation, and one
    /// that doesn't fit this device's counter ends it as well. Nobody has signed either, so it takes
    /// two in a row, each to a fresh challenge, and no key is deleted.
    ///
    /// - Throws: `PushError` with the code `malformed` if one of two bad answers is no status at all,
    ///   which says nothing of the activation.
    func status(of id: Enrollment.ID) async throws(PushError) -> ActivationStatus {
        let record = try PowerAuthRecord(try await vault.existing(id))
        let first = try await answer(of: record)
        if case .told(let blob, let custom) = first, try await !isLost(blob, id) {
            return try await note(blob, custom, of: id)
        }
        let second = try await answer(of: record)
        if case .told(let blob, let custom) = second, try await !isLost(blob, id) {
            return try await note(blob, custom, of: id)
        }
        for case .malformed(let error) in [first, second] { throw error }
        if case .told(let blob, let custom) = second {
            return try await note(blob, custom, of: id)
        }
        return try await noteUnreadable(id)
    }

    /// An answer to the question for the state.
    private enum Answer {
        case told(ActivationStatusBlob, customObject: JSON?)
        /// Of the right size, but it can't be opened.
        case unreadable
        case malformed(PushError)
    }

    private func answer(of record: PowerAuthRecord) async throws(PushError) -> Answer {
        let count = ActivationStatusBlob.challengeCount
        let challenge = environment.random.bytes(count).withBytes { Data($0) }
        let answer = try await plain(
            "/pa/v3/activation/status",
            [
                "activationId": .string(record.activationID),
                "challenge": .string(challenge.base64EncodedString()),
            ])
        guard let sealed = answer["encryptedStatusBlob"]?.string,
            let nonce = answer["nonce"]?.string,
            let encrypted = try? StrictBase64.decode(sealed),
            let salt = try? StrictBase64.decode(nonce)
        else { return .malformed(PushError(.malformed, "The server told no status.")) }
        do throws(PushError) {
            let blob = try ActivationStatusBlob(
                opening: encrypted, challenge: challenge, nonce: salt,
                transportKey: record.transport)
            return .told(blob, customObject: answer["customObject"])
        } catch {
            return error.code == .untrusted ? .unreadable : .malformed(error)
        }
    }

    /// Whether a status says that no signature of this device is taken any more.
    private func isLost(
        _ blob: ActivationStatusBlob, _ id: Enrollment.ID
    ) async throws(PushError) -> Bool {
        var record = try PowerAuthRecord(try await vault.existing(id))
        return try record.take(blob) == .deadlock
    }

    private func noteUnreadable(_ id: Enrollment.ID) async throws(PushError) -> ActivationStatus {
        notice(
            "A status can't be opened: the server no longer has the activation.", at: id)
        let enrollment = try await vault.update(id) { credential in
            credential.enrollment.state = .needsReenrollment
            return credential.enrollment
        }
        await forgetUsable()
        return ActivationStatus(
            enrollment: enrollment, blob: nil, customObject: nil, sync: nil)
    }

    private func note(
        _ blob: ActivationStatusBlob, _ custom: JSON?, of id: Enrollment.ID
    ) async throws(PushError) -> ActivationStatus {
        // Compared with the newest counter: meanwhile another process may have signed.
        let (enrollment, sync, before) = try await vault.update(id) {
            (credential) throws(PushError) in
            var record = try PowerAuthRecord(credential)
            let sync = try record.take(blob)
            let before = credential.enrollment.state
            credential.enrollment.state = blob.state(of: record, sync)
            if credential.enrollment.state != before { record.refusesTokens = false }
            if sync != .needsCatchUp { record.catchUp = nil }
            if blob.state == .removed { record.forgetKeys() }
            credential.secret = record.sealed
            return (credential.enrollment, sync, before)
        }
        if enrollment.state != before { await forgetUsable() }
        if sync == .needsCatchUp, enrollment.state == .active { await catchUp(id) }
        return ActivationStatus(
            enrollment: enrollment, blob: blob, customObject: custom, sync: sync)
    }

    /// Lets the server's counter follow, with a signature that proves nothing but possession.
    private func catchUp(_ id: Enrollment.ID) async {
        let body = JSON.reason("COUNTER_SYNCHRONIZATION").data
        do throws(PushError) {
            let attempt = try await catchUpAttempt(id, over: body)
            let proof = (header: SignatureHeader.name, value: attempt.header)
            let reply = try await post(SignedCall.validate.path, body, proof: proof)
            // A server that is out of order has judged nothing, and a stranger can't.
            if reply.isServers {
                try await vault.update(id) { (credential) throws(PushError) in
                    var record = try PowerAuthRecord(credential)
                    record.catchUp = nil
                    if reply.isSuccess {
                        record.ahead = Int(record.counter.byte &- attempt.byte)
                    }
                    credential.secret = record.sealed
                }
            }
            _ = try reply.value
        } catch {
            notice("The server's counter couldn't be made to follow.", at: id)
        }
    }

    /// The signature that failed last time, or a new one.
    private func catchUpAttempt(
        _ id: Enrollment.ID, over body: Data
    ) async throws(PushError) -> PowerAuthRecord.CatchUp {
        let record = try PowerAuthRecord(try await vault.existing(id))
        if let attempt = record.catchUp { return attempt }
        let attempt = PowerAuthRecord.CatchUp(
            header: try await signedHeader(
                for: id, uriID: SignedCall.validate.uriID, body: body, factors: .possession),
            byte: record.counter.next().byte)
        try await vault.update(id) { (credential) throws(PushError) in
            var record = try PowerAuthRecord(credential)
            record.catchUp = attempt
            credential.secret = record.sealed
        }
        return attempt
    }
}

// MARK: Whether it can be used

extension PowerAuthChannel {
    /// The record of an activation that is active as far as anyone knows: where this device doesn't
    /// think so, the server is asked.
    ///
    /// - Throws: `PushError` with the code `blocked` or `unknownEnrollment` if it isn't.
    func active(_ id: Enrollment.ID) async throws(PushError) -> PowerAuthRecord {
        let credential = try await vault.existing(id)
        if credential.enrollment.state != .active { try await requireActive(id) }
        return try PowerAuthRecord(try await vault.existing(id))
    }

    /// Asks the server whether the activation is active.
    func requireActive(_ id: Enrollment.ID) async throws(PushError) {
        if let error = try await status(of: id).enrollment.state.inactive {
            throw error
        }
    }

    /// What a refusal of a signed call, or of one by token, comes to.
    ///
    /// After a 401 of the server's own it is asked for the state, as it says no more than no: a
    /// wrong PIN is `notTaken` with the attempts that are left, or `blocked` after the last one.
    /// If the counters had parted, the reason is `stateChanged`, as no PIN would have been right;
    /// if the server took the signature and refused the call, it is `other`.
    ///
    /// - Parameters:
    ///   - reply: The refusal.
    ///   - id: The enrollment.
    ///   - factors: What had signed.
    func failure(
        _ reply: HTTPReply, of id: Enrollment.ID, factors: FactorKeys
    ) async -> PushError {
        guard reply.isAuthenticationRefusal else { return reply.error }
        do throws(PushError) {
            return failure(reply, at: try await status(of: id), factors: factors)
        } catch {
            return reply.error(
                .server(status: 401), "The server refused, and couldn't be asked for the state.")
        }
    }

    /// What a 401 comes to, once the state is known.
    func failure(
        _ reply: HTTPReply, at status: ActivationStatus, factors: FactorKeys
    ) -> PushError {
        let (code, reason): (PushError.Code, String) =
            if let error = status.enrollment.state.inactive {
                (error.code, error.reason)
            } else if factors.isCounted {
                Self.refusal(status)
            } else {
                (.server(status: 401), "The server refused the proof.")
            }
        return reply.error(code, reason)
    }

    private static func refusal(_ status: ActivationStatus) -> (PushError.Code, String) {
        let why = status.cause(ofSignature: true)
        let reason =
            switch why {
            // Whatever the user brought, nobody could have checked it.
            case .stateChanged: "The counters had parted; now they are together: try again."
            case .verification: "The PIN or the biometric secret is wrong."
            default: "The server took the signature, but not the request."
            }
        return (.notTaken(status.refusal(why)), reason)
    }
}

extension JSON {
    /// The body of a call that only says why it is made.
    static func reason(_ reason: String) -> JSON {
        ["requestObject": ["reason": .string(reason)]]
    }
}
