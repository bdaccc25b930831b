import HTTPTypes
import PushCore
import PushJOSE
import PushXignIn

extension OpenReferenceWireFormat {
    /// The record with the manager's newest keys, after a push with a key that isn't pinned.
    ///
    /// They come over the channel, signed by a key that is, so a forged push brings in nothing but a
    /// question, of which there are few (``KeyBudget``). The push waits in memory: for the pause
    /// before that question, and for the answer; and where that is lost, for one more question, if its
    /// time comes within ``keyWait`` of the push.
    ///
    /// - Returns: `nil` if it isn't time to ask, or asking brought nothing.
    func askedForKeys(
        about keyID: String, of id: Enrollment.ID, using access: XignInAccess
    ) async -> ActivationRecord? {
        let clock = access.environment.clock
        let start = clock.elapsed
        for _ in 0..<2 {
            let pause = await pause(before: keyID, of: id, using: access)
            let rest = keyWait - (clock.elapsed - start)
            let mayAsk = pause.map { $0 <= rest } ?? false
            let answer = await keyQuestions.answer(of: id, mayAsk: mayAsk) {
                await clock.sleep(for: pause ?? .zero)
                return await ask(about: keyID, of: id, using: access)
            }
            switch answer {
            case .keys(let record): return record
            case .refused: return nil
            case .failed: continue
            }
        }
        return nil
    }

    /// How long a question must wait; `nil` if none may be asked for now.
    private func pause(
        before keyID: String, of id: Enrollment.ID, using access: XignInAccess
    ) async -> Duration? {
        guard let secret = try? await access.secret(of: id),
            let record = try? ActivationRecord(secret), record.activation != nil
        else { return nil }
        return record.keyBudget.pause(before: keyID, at: access.environment.clock.now)
    }

    private func ask(
        about keyID: String, of id: Enrollment.ID, using access: XignInAccess
    ) async -> ActivationRecord? {
        do throws(PushError) {
            let record = try await counted(keyID, of: id, using: access)
            guard let activation = record.activation else { return nil }
            guard
                case .done(let answer) = try await reply(
                    about: keyID, of: id, as: (record, activation), using: access)
            else { return nil }
            return try await pinned(answer, told: activation, of: id, using: access)
        } catch {
            access.environment.observer.observe(
                Observation(
                    .noticed, "A manager couldn't be asked for its keys.",
                    provider: access.provider))
            return nil
        }
    }

    /// What the manager says. If it says nothing, that isn't held against the key.
    private func reply(
        about keyID: String, of id: Enrollment.ID,
        as sender: (record: ActivationRecord, activation: String), using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Claims> {
        do throws(PushError) {
            let channel = OpenReferenceChannel(
                access: access, record: sender.record, issuer: sender.activation)
            return try await channel.send(
                SignedRequest(.get, "activations/\(sender.activation)/manager-keys"))
        } catch {
            try await access.update(id) { (secret) throws(PushError) in
                var record = try ActivationRecord(secret)
                record.keyBudget.unanswered(keyID)
                secret = record.sealed
            }
            throw error
        }
    }

    /// Counts a question, before it is asked: it must be counted after a crash, too.
    private func counted(
        _ keyID: String, of id: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> ActivationRecord {
        let now = access.environment.clock.now
        var counted: ActivationRecord?
        try await access.update(id) { (secret) throws(PushError) in
            var record = try ActivationRecord(secret)
            guard record.keyBudget.take(keyID, at: now) else {
                throw PushError(
                    .unreachable, "The manager was asked for its keys too often meanwhile.")
            }
            counted = record
            secret = record.sealed
        }
        guard let counted else { throw PushError(.conflict, "Nothing was counted.") }
        return counted
    }

    private func pinned(
        _ answer: Claims, told activation: String, of id: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> ActivationRecord? {
        let keys = try ManagerKeys.read(answer)
        var newest: ActivationRecord?
        try await access.update(id) { (secret) throws(PushError) in
            var record = try ActivationRecord(secret)
            // Meanwhile there may be another activation, or the signer was given up.
            guard record.activation == activation, let signer = answer.signer,
                record.managerKeys[signer] != nil
            else {
                throw PushError(.untrusted, "The keys are for what was known before.")
            }
            record.managerKeys = keys
            newest = record
            secret = record.sealed
        }
        return newest
    }
}
