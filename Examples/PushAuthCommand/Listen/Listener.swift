import Foundation
import PushCore

/// Takes pushes, shows what they ask, and answers by a policy's rules.
actor Listener {
    let session: Session
    private let policy: StandingPolicy
    let show: @Sendable (ListenEvent) async -> Void

    /// Called with the exit status of each answer, and whether its challenge came in this run.
    private let ended: @Sendable (ExitStatus, _ isNew: Bool) -> Void

    /// Whether the end is near: pushes are kept in the store, for the next time, and not judged.
    private var isClosing = false

    /// How many answers are on their way, and who waits until there is none.
    var answering = 0
    private var closing: [CheckedContinuation<Void, Never>] = []

    /// Whether what is new comes by the authenticator's updates, each once, whether a push or a list
    /// brought it.
    private(set) var leavesNews = false

    /// The challenges that an earlier process left; `nil` until they are known.
    private var left: Set<Challenge.ID>?

    /// Where the vendors are polled, the challenges that were judged.
    var seen: Set<Challenge.ID> = []

    /// Each holds connections and perhaps a program of a rule's, so not all of one vendor are judged at
    /// once; a vendor that doesn't answer keeps no other's waiting.
    private var slots: [ProviderID: Slots] = [:]

    /// What wasn't judged as this process spares a vendor that is in trouble.
    var delayed: Set<Challenge.ID> = []

    /// What is judged later, as too much went on at its vendor when it came.
    var postponed: [Challenge.ID] = []

    /// The vendors whose challenges are judged that no push brought here, one after another.
    var catchingUp: Set<ProviderID> = []

    /// Whether what was decided is being sent again, and what was told of that meanwhile.
    var isResuming = false
    var toldMeanwhile: Set<Challenge.ID> = []

    /// Questions that wait for a person, and answers that wait for the vendor's word.
    var waiting: Set<Challenge.ID> = []

    /// What was told as withdrawn before the news of it came.
    private var toldAsOver: Set<Challenge.ID> = []

    init(
        _ session: Session, policy: StandingPolicy,
        show: @escaping @Sendable (ListenEvent) async -> Void,
        ended: @escaping @Sendable (ExitStatus, _ isNew: Bool) -> Void
    ) {
        self.session = session
        self.policy = policy
        self.show = show
        self.ended = ended
    }

    /// From now on, somebody else hands on the authenticator's updates: what is new is taken there
    /// alone.
    func leaveNewsToUpdates() {
        leavesNews = true
    }

    /// Notes what waits already, before anything comes that is told as new.
    func noteWhatIsLeft() async {
        do {
            left = Set(try await session.authenticator.unfinishedRecords().map(\.id))
        } catch {
            await show(.failed(Failure(error)))
        }
    }

    /// Finishes what an earlier process began, and finds what waits already. Where the vendors are
    /// polled, the loop's first question finds it: one of its own would be two at once.
    func begin() async {
        if left == nil { await noteWhatIsLeft() }
        await resume()
        do {
            if !leavesNews { await takeOwn(try await session.authenticator.pending().found) }
            let records = try await session.authenticator.unfinishedRecords()
            await judge(all: openIDs(among: records.filter { left?.contains($0.id) == true }))
        } catch {
            await show(.failed(Failure(error)))
        }
    }

    /// Judges no more, and returns once no answer is on its way.
    func close() async {
        isClosing = true
        guard answering > 0 else { return }
        await withCheckedContinuation { closing.append($0) }
    }

    /// Takes what a push or a question brought, but for what the updates bring as well.
    func takeOwn(_ receptions: [Reception]) async {
        await forEach(receptions, of: { $0.enrollment?.provider }) { await self.takeIfOwn($0) }
    }

    private func takeIfOwn(_ reception: Reception) async {
        // The answer to a question is no update.
        let isUpdate = if case .enrollment = reception.kind { false } else { reception.isNew }
        if !leavesNews || !isUpdate { await take(reception) }
    }

    /// Takes what came.
    func take(_ reception: Reception) async {
        switch reception.kind {
        case .notice(let notice, _):
            if reception.isNew { await judge(notice.id, isJustOpen: true) }
        case .over(let withdrawal):
            if waiting.contains(withdrawal.id) {
                await lookAfterWaiting()
            } else if toldAsOver.remove(withdrawal.id) == nil, reception.isNew {
                await show(.withdrawn(withdrawal.id, withdrawal.reason))
            }
        case .enrollment(let enrollment): await show(.enrollment(enrollment))
        case .inbox(let enrollment, let message): await show(.inbox(enrollment, message))
        case .incompatible(let incompatible): await show(.incompatible(incompatible))
        case .answered: break
        @unknown default: break
        }
    }

    /// Opens a challenge and does what the policy says.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - isJustOpen: Whether its row was written as open just now, so that it needn't be read to know
    ///     that: if that is old, opening or answering it finds out.
    func judge(_ id: Challenge.ID, isJustOpen: Bool = false) async {
        let places = places(of: id.enrollment.provider)
        await places.enter()
        await judgeNow(id, isJustOpen)
        await places.leave()
    }

    /// How many exchanges of one vendor may go on.
    func places(of provider: ProviderID) -> Slots {
        let known = slots[provider] ?? Slots(16)
        slots[provider] = known
        return known
    }

    private func judgeNow(_ id: Challenge.ID, _ isJustOpen: Bool) async {
        guard !isClosing, !waiting.contains(id) else { return }
        // It may be told as new while it is being found among the records.
        if leavesNews, !seen.insert(id).inserted { return }
        do {
            if !isJustOpen { guard try await openRecord(of: id) != nil else { return } }
            guard let enrollment = try await session.authenticator.enrollment(id.enrollment)
            else { return }
            let challenge: Challenge
            do throws(PushError) {
                challenge = try await session.authenticator.challenge(id)
            } catch {
                // It was withdrawn before it was opened, which is told as such.
                if isJustOpen, error.code == .over, error.ends == nil { return }
                throw error
            }
            let question = Question(challenge, of: enrollment)
            switch policy.current.verdict(on: question, at: Date()) {
            case .act(.approve(let number), let rule):
                try await answer(question, approval(of: question, with: number), rule)
            case .act(.deny(let reason), let rule):
                try await answer(question, .deny(reason), rule)
            case .act(.ignore, let rule): await show(.ignored(id, rule: rule))
            case .wait:
                guard let record = try await openRecord(of: id) else { return }
                waiting.insert(id)
                await show(.question(ChallengeReport(record: record, challenge: challenge)))
            }
        } catch {
            if (error as? PushError)?.isDelay == true {
                delayed.insert(id)
                return
            }
            let failure = await session.failure(error, answering: id)
            await show(.failed(failure, id))
            // A person may still answer it elsewhere.
            waiting.insert(id)
            end(id, failure.status)
        }
    }

    /// What is on record of a challenge, if it is open.
    private func openRecord(of id: Challenge.ID) async throws(PushError) -> ChallengeRecord? {
        let record = try await session.authenticator.record(of: id)
        return record?.state == .open ? record : nil
    }

    /// The yes that a challenge asks for.
    private func approval(
        of question: Question, with source: NumberSource?
    ) async throws(Failure) -> Resolution {
        switch question.challenge.prompt {
        case .choose, .enter:
            guard let source else {
                throw Failure(
                    .failed, "The vendor wants the number that the login page shows.",
                    advice: "A rule says where it comes from: number = { file = \"…\" }.")
            }
            let number = try await source.number(for: question)
            if case .choose = question.challenge.prompt { return .choose(number) }
            return .enter(number)
        case .approve, .denyOnly: return .approve
        @unknown default:
            throw Failure(.failed, "What is asked for is newer than this program.")
        }
    }

    private func answer(
        _ question: Question, _ resolution: Resolution, _ rule: String
    ) async throws(PushError) {
        // What led here may have taken long. The next time, it is judged again.
        guard !isClosing else { return }
        let challenge = question.challenge
        answering += 1
        defer { answered() }
        let outcome =
            if case .deny(let reason) = resolution {
                try await session.authenticator.deny(challenge.id, reason)
            } else {
                try await session.authenticator.resolve(challenge, with: resolution)
            }
        await show(
            .answered(
                OutcomeReport(id: challenge.id, resolution: resolution, outcome: outcome),
                rule: rule))
        // Sent again in the background, it may get another word yet.
        if outcome.isOpenEnded, await session.isDecided(challenge.id) {
            waiting.insert(challenge.id)
        }
        end(challenge.id, outcome.status(for: resolution))
    }

    func end(_ id: Challenge.ID, _ status: ExitStatus) {
        ended(status, left?.contains(id) != true)
    }

    private func answered() {
        answering -= 1
        guard answering == 0 else { return }
        for waiter in closing { waiter.resume() }
        closing = []
    }

    /// Looks whether a person answered in another process, a vendor's word has come, or the time ran
    /// out.
    func lookAfterWaiting() async {
        for id in waiting {
            guard let record = try? await session.authenticator.record(of: id) else { continue }
            switch record.state {
            case .open, .decided: continue
            case .answered(let resolution, let outcome):
                // Another look may have been faster.
                guard waiting.remove(id) != nil else { continue }
                if isResuming { toldMeanwhile.insert(id) }
                await show(
                    .answered(
                        OutcomeReport(id: id, resolution: resolution, outcome: outcome), rule: nil))
                end(id, outcome.status(for: resolution))
            case .over(let withdrawal):
                guard waiting.remove(id) != nil else { continue }
                toldAsOver.insert(id)
                await show(.withdrawn(id, withdrawal.reason))
                end(id, .over)
            @unknown default: continue
            }
        }
    }
}
