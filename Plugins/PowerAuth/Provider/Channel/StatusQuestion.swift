import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthChannel {
    /// Asks for the state, sets the counter right, and writes both down.
    ///
    /// - Throws: `PushError`, as ``StatusQuestion/status()`` says.
    func status(of id: Enrollment.ID) async throws(PushError) -> ActivationStatus {
        try await StatusQuestion(channel: self, id: id).status()
    }
}

/// The question for the state of an activation, which only a device that can open the answer
/// learns.
struct StatusQuestion: Sendable {
    let channel: PowerAuthChannel
    let id: Enrollment.ID

    /// Whether it was asked just before.
    var isRepeated = false

    private var vault: Vault { channel.vault }

    /// Asks for the state, sets the counter right, and writes both down.
    ///
    /// An answer that can't be opened is how a server says that it knows no such activation, and one
    /// that doesn't fit this device's counter ends it as well. Nobody has signed either, so it takes
    /// two in a row, each to a fresh challenge, and no key is deleted.
    ///
    /// - Throws: `PushError` with the code `malformed` if one of two bad answers is no status at all,
    ///   which says nothing of the activation.
    func status() async throws(PushError) -> ActivationStatus {
        let record = try PowerAuthRecord(try await vault.existing(id))
        let first = try await answer(of: record)
        if case .told(let blob, let custom) = first, try await !isLost(blob) {
            return try await note(blob, custom)
        }
        let second = try await answer(of: record)
        if case .told(let blob, let custom) = second, try await !isLost(blob) {
            return try await note(blob, custom)
        }
        for case .malformed(let error) in [first, second] { throw error }
        if case .told(let blob, let custom) = second {
            return try await note(blob, custom)
        }
        return try await noteUnreadable()
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
        let challenge = channel.environment.random.bytes(count).withBytes { Data($0) }
        let answer = try await channel.plain(
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
    private func isLost(_ blob: ActivationStatusBlob) async throws(PushError) -> Bool {
        var record = try PowerAuthRecord(try await vault.existing(id))
        return try record.take(blob) == .deadlock
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

    private func note(
        _ blob: ActivationStatusBlob, _ custom: JSON?
    ) async throws(PushError) -> ActivationStatus {
        // Compared with the newest counter: meanwhile another process may have signed.
        let (enrollment, sync, before, learnsByte) = try await vault.update(id) {
            (credential) throws(PushError) in
            var record = try PowerAuthRecord(credential)
            let sync = try record.take(blob)
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
            enrollment: enrollment, blob: blob, customObject: custom, sync: sync)
    }

    /// Asks once more after the server's counter has followed, so that its byte becomes known.
    private func learned() async throws(PushError) -> ActivationStatus {
        try await StatusQuestion(channel: channel, id: id, isRepeated: true).status()
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
