import HTTPTypes
import PushCore
import PushXignIn

/// The pushes that wait for a manager's newest keys, in memory alone: nothing that isn't verified is
/// stored. However many come, a manager is asked once for all of them.
actor KeyQuestions {
    /// What becomes of a push that waits.
    enum Answer {
        /// The manager has said its keys.
        case keys(ActivationRecord)
        /// It couldn't be asked, or its answer was lost.
        case failed
        /// It isn't asked for this push.
        case refused
    }

    private typealias Waiter = CheckedContinuation<Answer, Never>

    /// How many pushes of one manager wait at the most.
    private static let maximumWaiting = 8

    /// By manager; there is an entry as long as it is being asked.
    private var waiting: [Enrollment.ID: [Waiter]] = [:]

    /// Asks a manager for its keys, or waits for the answer where it is being asked.
    ///
    /// Of more pushes than can wait the oldest is refused, so that those that were forged in advance
    /// don't keep out the genuine one.
    ///
    /// - Parameters:
    ///   - enrollment: The activation at the manager.
    ///   - mayAsk: Whether this push may make the device ask.
    ///   - ask: Asks; `nil` if that failed. It runs on if the caller gives up.
    /// - Returns: The manager's keys, or why there are none for this push.
    func answer(
        of enrollment: Enrollment.ID, mayAsk: Bool,
        _ ask: @escaping @Sendable () async -> ActivationRecord?
    ) async -> Answer {
        guard mayAsk || waiting[enrollment] != nil else { return .refused }
        return await withCheckedContinuation { waiter in
            let isFirst = waiting[enrollment] == nil
            add(waiter, to: enrollment)
            guard isFirst else { return }
            Task { end(enrollment, with: await ask().map(Answer.keys) ?? .failed) }
        }
    }

    private func add(_ waiter: Waiter, to enrollment: Enrollment.ID) {
        var waiters = waiting[enrollment] ?? []
        if waiters.count == Self.maximumWaiting {
            waiters.removeFirst().resume(returning: .refused)
        }
        waiting[enrollment] = waiters + [waiter]
    }

    private func end(_ enrollment: Enrollment.ID, with answer: Answer) {
        for waiter in waiting.removeValue(forKey: enrollment) ?? [] {
            waiter.resume(returning: answer)
        }
    }
}

/// The question for a manager's newest keys, which a push with a key that isn't pinned makes a device
/// ask.
struct KeyQuestion {
    /// The key that the push names.
    let keyID: String

    /// The activation at the manager.
    let activation: Enrollment.ID

    let access: XignInAccess

    /// The record with the manager's newest keys, after a push with a key that isn't pinned.
    ///
    /// They come over the channel, signed by a key that is, so a forged push brings in nothing but a
    /// question, of which there are few (``KeyBudget``). The push waits in memory: for the pause
    /// before that question, and for the answer; and where that is lost, for one more question, if its
    /// time comes within the wait of the push.
    ///
    /// - Returns: `nil` if it isn't time to ask, or asking brought nothing.
    func newestRecord(
        among questions: KeyQuestions, within wait: Duration
    ) async -> ActivationRecord? {
        let accounts = access.environment.accounts(for: access.provider)
        let clock = access.environment.clock
        let start = clock.elapsed
        for _ in 0..<2 {
            // The message's account may be old: another push may have counted a question since.
            guard let account = try? await accounts.account(activation) else { return nil }
            let pause = pause(account)
            let rest = wait - (clock.elapsed - start)
            let mayAsk = pause.map { $0 <= rest } ?? false
            let answer = await questions.answer(of: activation, mayAsk: mayAsk) {
                await clock.sleep(for: pause ?? .zero)
                return await ask(account)
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
    private func pause(_ account: Account) -> Duration? {
        guard let record = try? access.record(of: account, as: ActivationRecord.self),
            record.activation != nil
        else { return nil }
        return record.keyBudget.pause(before: keyID, at: access.environment.clock.now)
    }

    private func ask(_ account: Account) async -> ActivationRecord? {
        do throws(PushError) {
            let record = try await countQuestion(account)
            guard let name = record.activation,
                case .success(let answer) = try await reply(to: record, named: name, account)
            else { return nil }
            return try await pin(answer, told: name, account)
        } catch {
            access.environment.observer.observe(
                PushObservation(
                    .noticed, "A manager couldn't be asked for its keys.",
                    provider: access.provider))
            return nil
        }
    }

    /// What the manager says. If it says nothing, that isn't held against the key.
    private func reply(
        to record: ActivationRecord, named name: String, _ account: Account
    ) async throws(PushError) -> XignInReply<Claims> {
        do throws(PushError) {
            let channel = OpenReferenceChannel(access: access, record: record, issuer: name)
            return try await channel.send(
                SignedRequest(.get, "activations/\(name)/manager-keys"))
        } catch {
            try await access.change(account) { (record: inout ActivationRecord) in
                record.keyBudget.noteUnanswered(keyID)
            }
            throw error
        }
    }

    /// Counts a question before it is asked, so that a crash can't hide it.
    private func countQuestion(
        _ account: Account
    ) async throws(PushError) -> ActivationRecord {
        let now = access.environment.clock.now
        return try await access.change(account) {
            (record: inout ActivationRecord) throws(PushError) in
            guard record.keyBudget.count(keyID, at: now) else {
                throw PushError(
                    .unreachable, "The manager was asked for its keys too often meanwhile.")
            }
            return record
        }
    }

    private func pin(
        _ answer: Claims, told name: String, _ account: Account
    ) async throws(PushError) -> ActivationRecord {
        let keys = try ManagerKeys.read(answer)
        return try await access.change(account) {
            (record: inout ActivationRecord) throws(PushError) in
            // Meanwhile there may be another activation, or the signer was given up.
            guard record.activation == name, let signer = answer.signer,
                record.managerKeys[signer] != nil
            else {
                throw PushError(.untrusted, "The keys are for what was known before.")
            }
            record.managerKeys = keys
            return record
        }
    }
}
