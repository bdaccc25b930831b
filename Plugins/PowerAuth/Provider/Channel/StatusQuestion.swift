import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthChannel {
    /// Asks for the state, sets the counter right, and writes both down.
    ///
    /// - Returns: The state, as it is on record then.
    /// - Throws: `PushError`, as ``StatusQuestion/status()`` says.
    func status(of account: Account) async throws(PushError) -> ActivationStatus {
        try await StatusQuestion(channel: self, account: account).status()
    }
}

/// The question for the state of an activation, which only a device that can open the answer
/// learns.
struct StatusQuestion: Sendable {
    let channel: PowerAuthChannel
    let account: Account

    /// Whether it was asked just before.
    var isRepeated = false

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

    /// A status, and how the counter in hand stands to it.
    private struct Told {
        let blob: ActivationStatusBlob
        let customObject: JSON?
        let sync: CounterSync
    }

    private func answer() async throws(PushError) -> Answer {
        var record = try account.record
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
        let blob: ActivationStatusBlob
        do throws(PushError) {
            blob = try ActivationStatusBlob(
                opening: encrypted, challenge: challenge, nonce: salt,
                transportKey: record.transport)
        } catch {
            return error.code == .untrusted ? .unreadable : .malformed(error)
        }
        return .told(
            Told(blob: blob, customObject: answer["customObject"], sync: try record.take(blob)))
    }

    private func noteUnreadable() async throws(PushError) -> ActivationStatus {
        channel.notice(
            "A status can't be opened: the server no longer has the activation.",
            at: account.id)
        try await account.changeEnrollment { $0.state = .needsReenrollment }
        await channel.forgetUsable()
        return ActivationStatus(
            enrollment: account.enrollment, blob: nil, customObject: nil, sync: nil)
    }

    private func note(_ told: Told) async throws(PushError) -> ActivationStatus {
        let blob = told.blob
        let (enrollment, before, sync, learnsByte) = try await account.change {
            (record: inout PowerAuthRecord, enrollment) throws(PushError) in
            // Compared with the newest counter: meanwhile another process may have signed.
            let sync = try record.take(blob)
            let before = enrollment.state
            enrollment.state = blob.state(of: record, sync)
            if enrollment.state != before { record.refusesTokens = false }
            if sync != .needsCatchUp { record.catchUp = nil }
            if blob.state == .removed { record.forgetKeys() }
            return (enrollment, before, sync, !record.knowsCounterByte && !isRepeated)
        }
        if enrollment.state != before { await channel.forgetUsable() }
        if sync == .needsCatchUp, enrollment.state == .active {
            await catchUp()
            if learnsByte {
                // The server's counter has followed, so its byte becomes known.
                return try await StatusQuestion(
                    channel: channel, account: account, isRepeated: true
                ).status()
            }
        }
        return ActivationStatus(
            enrollment: enrollment, blob: blob, customObject: told.customObject, sync: sync)
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
                try await account.change { (record: inout PowerAuthRecord, _) in
                    record.catchUp = nil
                    guard reply.isSuccess else { return }
                    record.ahead = Int(record.counter.byte &- attempt.byte)
                }
            }
            _ = try reply.value
        } catch {
            channel.notice("The server's counter couldn't be made to follow.", at: account.id)
        }
    }

    /// The signature that failed last time, or a new one.
    private func catchUpAttempt(
        over body: Data
    ) async throws(PushError) -> PowerAuthRecord.CatchUp {
        let nonce = channel.environment.random.array(SignatureHeader.nonceCount)
        return try await account.change {
            (record: inout PowerAuthRecord, enrollment) throws(PushError) in
            if let attempt = record.catchUp { return attempt }
            let taken = try record.takeCounter(for: .possession, pin: nil, in: enrollment.state)
            let attempt = PowerAuthRecord.CatchUp(
                header: try channel.header(
                    of: SignedData(.validate, body), by: taken, nonce: nonce),
                byte: taken.counter.byte &+ 1)
            record.catchUp = attempt
            return attempt
        }
    }
}
