import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthChannel {
    /// Asks for the state, sets the counter right, and writes both down.
    ///
    /// - Parameters:
    ///   - id: The activation.
    ///   - known: Its record, if it has just been written.
    /// - Returns: The state, as it is on record then.
    /// - Throws: `PushError`, as ``StatusQuestion/status()`` says.
    func status(
        of id: Enrollment.ID, _ known: StatusQuestion.Known? = nil
    ) async throws(PushError) -> ActivationStatus {
        let known =
            if let known { known } else {
                try StatusQuestion.Known(try await vault.existing(id).secret)
            }
        return try await StatusQuestion(channel: self, id: id, known: known).status()
    }
}

/// The question for the state of an activation, which only a device that can open the answer
/// learns.
struct StatusQuestion: Sendable {
    let channel: PowerAuthChannel
    let id: Enrollment.ID

    let known: Known

    /// Whether it was asked just before.
    var isRepeated = false

    private var vault: Vault { channel.vault }

    /// The activation's record as it was read, or written, before.
    struct Known: Sendable {
        let secret: Secret
        let record: PowerAuthRecord

        init(_ secret: Secret) throws(PushError) {
            self.secret = secret
            record = try PowerAuthRecord(secret)
        }

        init(written record: PowerAuthRecord, as secret: Secret) {
            (self.record, self.secret) = (record, secret)
        }
    }

    /// Asks for the state, sets the counter right, and writes both down.
    ///
    /// An answer that can't be opened is how a server says that it knows no such activation, and one
    /// that doesn't fit this device's counter ends it as well. Nobody has signed either, so it takes
    /// two in a row, each to a fresh challenge, and no key is deleted.
    ///
    /// - Throws: `PushError` with the code `malformed` if one of two bad answers is no status at all,
    ///   which says nothing of the activation.
    func status() async throws(PushError) -> ActivationStatus {
        let first = try await answer()
        if case .told(let told) = first, told.sync != .deadlock { return try await note(told) }
        let second = try await answer()
        if case .told(let told) = second, told.sync != .deadlock { return try await note(told) }
        for case .malformed(let error) in [first, second] { throw error }
        if case .told(let told) = second { return try await note(told) }
        return try await noteUnreadable()
    }

    /// An answer to the question for the state.
    private enum Answer {
        case told(Told)
        /// Of the right size, but it can't be opened.
        case unreadable
        case malformed(PushError)
    }

    /// A status, and what comes of it for the record as it is known.
    private struct Told {
        let blob: ActivationStatusBlob
        let customObject: JSON?
        let record: PowerAuthRecord
        let sync: CounterSync
    }

    private func answer() async throws(PushError) -> Answer {
        let count = ActivationStatusBlob.challengeCount
        let challenge = channel.environment.random.bytes(count).withBytes { Data($0) }
        let answer = try await channel.plain(
            "/pa/v3/activation/status",
            [
                "activationId": .string(known.record.activationID),
                "challenge": .string(challenge.base64EncodedString()),
            ])
        guard let sealed = answer["encryptedStatusBlob"]?.string,
            let nonce = answer["nonce"]?.string,
            let encrypted = try? StrictBase64.decode(sealed),
            let salt = try? StrictBase64.decode(nonce)
        else { return .malformed(PushError(.malformed, "The server told no status.")) }
        let blob: ActivationStatusBlob
        do throws(PushError) {
            blob = try ActivationStatusBlob(
                opening: encrypted, challenge: challenge, nonce: salt,
                transportKey: known.record.transport)
        } catch {
            return error.code == .untrusted ? .unreadable : .malformed(error)
        }
        var record = known.record
        let sync = try record.take(blob)
        return .told(
            Told(blob: blob, customObject: answer["customObject"], record: record, sync: sync))
    }

    private func noteUnreadable() async throws(PushError) -> ActivationStatus {
        channel.notice(
            "A status can't be opened: the server no longer has the activation.", at: id)
        let enrollment = try await vault.update(id) { credential in
            credential.enrollment.state = .needsReenrollment
            return credential.enrollment
        }
        await channel.forgetUsable()
        return ActivationStatus(
            enrollment: enrollment, blob: nil, customObject: nil, sync: nil)
    }

    private func note(_ told: Told) async throws(PushError) -> ActivationStatus {
        let blob = told.blob
        let (enrollment, sync, before, learnsByte) = try await vault.update(id) {
            (credential) throws(PushError) in
            var (record, sync) = (told.record, told.sync)
            // Compared with the newest counter: meanwhile another process may have signed.
            if !credential.secret.isEqualInConstantTime(to: known.secret) {
                record = try PowerAuthRecord(credential)
                sync = try record.take(blob)
            }
            let learnsByte = !record.knowsCounterByte && !isRepeated
            let before = credential.enrollment.state
            credential.enrollment.state = blob.state(of: record, sync)
            if credential.enrollment.state != before { record.refusesTokens = false }
            if sync != .needsCatchUp { record.catchUp = nil }
            if blob.state == .removed { record.forgetKeys() }
            credential.secret = record.sealed
            return (credential.enrollment, sync, before, learnsByte)
        }
        if enrollment.state != before { await channel.forgetUsable() }
        if sync == .needsCatchUp, enrollment.state == .active {
            await catchUp()
            if learnsByte { return try await learned() }
        }
        return ActivationStatus(
            enrollment: enrollment, blob: blob, customObject: told.customObject, sync: sync)
    }

    /// Asks once more after the server's counter has followed, so that its byte becomes known.
    private func learned() async throws(PushError) -> ActivationStatus {
        try await StatusQuestion(
            channel: channel, id: id, known: Known(try await vault.existing(id).secret),
            isRepeated: true
        ).status()
    }

    /// Lets the server's counter follow, with a signature that proves nothing but possession.
    private func catchUp() async {
        let body = JSON.reason("COUNTER_SYNCHRONIZATION").data
        do throws(PushError) {
            let attempt = try await catchUpAttempt(over: body)
            let proof = (header: SignatureHeader.name, value: attempt.header)
            let reply = try await channel.post(SignedCall.validate.path, body, proof: proof)
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
            channel.notice("The server's counter couldn't be made to follow.", at: id)
        }
    }

    /// The signature that failed last time, or a new one.
    private func catchUpAttempt(
        over body: Data
    ) async throws(PushError) -> PowerAuthRecord.CatchUp {
        let record = try PowerAuthRecord(try await vault.existing(id))
        if let attempt = record.catchUp { return attempt }
        let attempt = PowerAuthRecord.CatchUp(
            header: try await channel.signedHeader(
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
