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
    /// An answer that can't be opened is how a server says that it knows no such activation, but one
    /// bad answer proves nothing: it's asked again, with a fresh challenge, and no key is deleted.
    func status(of id: Enrollment.ID) async throws(PushError) -> ActivationStatus {
        let record = try PowerAuthRecord(try await vault.existing(id))
        for _ in 0..<2 {
            let (blob, custom) = try await blob(of: record)
            if let blob { return try await note(blob, custom, of: id) }
        }
        provider.notice(
            "A status can't be opened: the server no longer has the activation.", at: id)
        let enrollment = try await vault.update(id) { credential in
            credential.enrollment.state = .needsReenrollment
            return credential.enrollment
        }
        return ActivationStatus(
            enrollment: enrollment, blob: nil, customObject: nil, hasMoved: false)
    }

    /// - Returns: No blob if it can't be opened.
    private func blob(
        of record: PowerAuthRecord
    ) async throws(PushError) -> (ActivationStatusBlob?, JSON?) {
        let challenge = environment.random.bytes(16).withBytes { Data($0) }
        let answer = try await plain(
            "/pa/v3/activation/status",
            [
                "activationId": .string(record.activationID),
                "challenge": .string(challenge.base64EncodedString()),
            ])
        guard let sealed = answer["encryptedStatusBlob"]?.string,
            let nonce = answer["nonce"]?.string
        else { throw provider.error(.malformed, "The server told no status.") }
        let (encrypted, salt) = (
            try StrictBase64.decode(sealed, count: 32), try StrictBase64.decode(nonce, count: 16)
        )
        let blob = try? ActivationStatusBlob(
            opening: encrypted, challenge: challenge, nonce: salt, transportKey: record.transport)
        return (blob, answer["customObject"])
    }

    private func note(
        _ blob: ActivationStatusBlob, _ custom: JSON?, of id: Enrollment.ID
    ) async throws(PushError) -> ActivationStatus {
        // Compared with the newest counter: meanwhile another process may have signed.
        let (enrollment, sync) = try await vault.update(id) { (credential) throws(PushError) in
            var record = try PowerAuthRecord(credential)
            let sync = try record.take(blob)
            credential.enrollment.state = blob.state(of: record, sync)
            if blob.state == .removed { record.forgetKeys() }
            credential.secret = record.sealed
            return (credential.enrollment, sync)
        }
        if sync == .needsCatchUp, enrollment.state == .active { await catchUp(id) }
        let hasMoved = if case .serverAhead = sync { true } else { false }
        return ActivationStatus(
            enrollment: enrollment, blob: blob, customObject: custom, hasMoved: hasMoved)
    }

    /// Lets the server's counter follow, with a signature that proves nothing but possession.
    private func catchUp(_ id: Enrollment.ID) async {
        do throws(PushError) {
            let body = JSON.reason("COUNTER_SYNCHRONIZATION").data
            let header = try await signedHeader(
                for: id, uriID: SignedCall.validate.uriID, body: body, factors: .possession)
            _ = try await send(header, of: id, to: SignedCall.validate.path, body: body).value
        } catch {
            provider.notice("The server's counter couldn't be made to follow.", at: id)
        }
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
            throw error.of(provider.id)
        }
    }

    /// What a refusal of a signed call, or of one by token, comes to.
    ///
    /// After a 401 the server is asked for the state, as it says no more than no: a wrong PIN is
    /// `notTaken` with the attempts that are left, or `blocked` after the last one. If the server's
    /// counter was ahead, the reason is `stateChanged`, as no PIN would have been right.
    ///
    /// - Parameters:
    ///   - reply: The refusal.
    ///   - id: The enrollment.
    ///   - factors: What had signed.
    func failure(
        _ reply: Reply, of id: Enrollment.ID, factors: FactorKeys
    ) async -> PushError {
        guard reply.status == 401 else { return reply.error.of(provider.id) }
        do throws(PushError) {
            return failure(reply, at: try await status(of: id), factors: factors)
        } catch {
            return reply.error(
                .server(status: 401), "The server refused, and couldn't be asked for the state."
            ).of(provider.id)
        }
    }

    /// What a 401 comes to, once the state is known.
    func failure(
        _ reply: Reply, at status: ActivationStatus, factors: FactorKeys
    ) -> PushError {
        let (code, reason): (PushError.Code, String) =
            if let error = status.enrollment.state.inactive {
                (error.code, error.reason)
            } else if status.hasMoved {
                // Whatever the user brought, nobody could have checked it.
                (
                    status.refusal(.stateChanged),
                    "The counters had parted; now they are together: try again."
                )
            } else if factors.isCounted {
                (status.refusal(.verification), "The PIN or the biometric secret is wrong.")
            } else {
                (.server(status: 401), "The server refused the proof.")
            }
        return reply.error(code, reason).of(provider.id)
    }
}

extension JSON {
    /// The body of a call that only says why it is made.
    static func reason(_ reason: String) -> JSON {
        ["requestObject": ["reason": .string(reason)]]
    }
}
