import Foundation
import PushCore

/// Judges challenges by a policy's rules, shows a person those that no rule matches, and tells how
/// each ends.
actor Listener {
    let session: Session
    private let policy: StandingPolicy
    let show: @Sendable (ListenEvent) async -> Void

    /// Called with the exit status of each answer, and whether its challenge came in this run.
    private let ended: @Sendable (ExitStatus, _ isNew: Bool) -> Void

    /// Whether the end is near: pushes are kept in the store, for the next time, and not judged.
    private var isClosing = false

    /// How many answers are on their way, and the callers that wait for all of them.
    private(set) var answering = 0
    private var closing: [CheckedContinuation<Void, Never>] = []

    /// The challenges that an earlier process left; `nil` until they are known.
    private(set) var left: Set<Challenge.ID>?

    var courses = Courses()

    /// Each holds connections and perhaps a program of a rule's, so not all of one vendor are
    /// judged at once; a vendor that doesn't answer keeps no other's waiting.
    private var slots: [ProviderID: Slots] = [:]

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

    /// Notes what waits already, before anything comes that is told as new.
    func noteWhatIsLeft() async {
        do {
            left = Set(try await session.authenticator.unfinishedRecords().map(\.id))
        } catch {
            await tell(error)
        }
    }

    /// Judges no more, and returns once no answer is on its way.
    func close() async {
        isClosing = true
        guard answering > 0 else { return }
        await withCheckedContinuation { closing.append($0) }
    }

    /// Tells of a failure that ends nothing.
    func tell(_ error: any Error, of enrollment: Enrollment.ID? = nil) async {
        await show(.failed(Failure(error), of: enrollment))
    }

    // MARK: What the ledger tells

    /// Takes what becomes of the challenges, whichever process does it, until its task is
    /// cancelled.
    ///
    /// - Parameter patience: How long what is open is left to the push that brought it, which is
    ///   told first.
    func follow(after patience: Duration) async {
        for await record in await session.authenticator.changes() {
            if record.state != .open {
                await take(record)
            } else if courses[record.id] == nil {
                Task {
                    try? await Task.sleep(for: patience)
                    await judge(record.id)
                }
            }
        }
    }

    /// Takes what is on record of a challenge now, unless it is open.
    func take(_ record: ChallengeRecord) async {
        switch record.state {
        case .open: break
        case .decided: if courses[record.id] == nil { courses[record.id] = .waits }
        case .answered(let resolution, let outcome):
            let report = OutcomeReport(id: record.id, resolution: resolution, outcome: outcome)
            await conclude(
                record.id, .answered(report, rule: nil), outcome.status(for: resolution),
                isAnswer: true)
        case .over(let withdrawal): await conclude(withdrawal)
        @unknown default: break
        }
    }

    private func conclude(_ withdrawal: Withdrawal) async {
        await conclude(
            withdrawal.id, .withdrawn(withdrawal.id, withdrawal.reason), .over, isAnswer: false)
    }

    private func conclude(
        _ id: Challenge.ID, _ event: ListenEvent, _ status: ExitStatus, isAnswer: Bool
    ) async {
        let course = courses[id]
        if case .judging(let judging) = course {
            // What that comes to is told first.
            Task {
                await judging.value
                await conclude(id, event, status, isAnswer: isAnswer)
            }
            return
        }
        courses[id] = .told
        guard course != .told, course != .judged || !isAnswer else { return }
        await show(event)
        if isAnswer || course == .waits { end(id, status) }
    }

    private func end(_ id: Challenge.ID, _ status: ExitStatus) {
        ended(status, left?.contains(id) != true)
    }

    // MARK: What a push or a question brought

    /// Takes what a push or a question brought, and returns once its challenges are judged.
    func take(_ receptions: [Reception]) async {
        await forEach(receptions, of: { $0.enrollment?.provider }) { await self.take($0) }
    }

    private func take(_ reception: Reception) async {
        switch reception.kind {
        case .notice(let notice, _):
            if reception.isNew { await judge(notice.id, isJustOpen: true) }
        case .over(let withdrawal):
            if reception.isNew { await conclude(withdrawal) }
        case .enrollment(let enrollment): await show(.enrollment(enrollment))
        case .inbox(let enrollment, let message): await show(.inbox(enrollment, message))
        case .incompatible(let incompatible): await show(.incompatible(incompatible))
        case .answered: break
        @unknown default: break
        }
    }

    /// Does something with each item, one vendor's after another and those of several vendors at
    /// once: one that doesn't answer keeps no other's waiting.
    func forEach<Item: Sendable>(
        _ items: [Item], of provider: (Item) -> ProviderID?,
        _ body: @escaping @Sendable (Item) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for items in Dictionary(grouping: items, by: provider).values {
                group.addTask { for item in items { await body(item) } }
            }
        }
    }

    // MARK: Judging

    /// Judges a challenge, unless that was done, and returns once it is.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - isJustOpen: Whether its row was written as open just now, so that it needn't be read to
    ///     know that: if that is old, opening or answering it finds out.
    func judge(_ id: Challenge.ID, isJustOpen: Bool = false) async {
        if case .judging(let judging) = courses[id] { return await judging.value }
        guard courses[id] == nil else { return }
        let judging = Task {
            let places = places(of: id.enrollment.provider)
            await places.enter()
            courses[id] = await course(of: id, isJustOpen)
            await places.leave()
        }
        courses[id] = .judging(judging)
        await judging.value
    }

    /// How many exchanges of one vendor may go on.
    func places(of provider: ProviderID) -> Slots {
        let known = slots[provider] ?? Slots(16)
        slots[provider] = known
        return known
    }

    /// Opens a challenge and does what the policy says.
    ///
    /// - Returns: What it came to; `nil` if it is left to the next time, or isn't open any more,
    ///   which is told as such.
    private func course(of id: Challenge.ID, _ isJustOpen: Bool) async -> Courses.Course? {
        guard !isClosing else { return nil }
        do {
            if !isJustOpen { guard try await openRecord(of: id) != nil else { return nil } }
            guard let enrollment = try await session.authenticator.enrollment(id.enrollment)
            else { return nil }
            return try await session.withOpenGuards(of: [enrollment], for: .opening) {
                try await self.course(of: id, in: enrollment)
            }
        } catch {
            // What wasn't sent to spare a vendor in trouble is judged later.
            if (error as? PushError)?.isDelay == true { return nil }
            let failure = await session.failure(error, answering: id)
            await show(.failed(failure, id))
            end(id, failure.status)
            // A person may still answer it elsewhere.
            return .waits
        }
    }

    private func course(
        of id: Challenge.ID, in enrollment: Enrollment
    ) async throws -> Courses.Course? {
        let challenge: Challenge
        do throws(PushError) {
            challenge = try await session.authenticator.challenge(id)
        } catch {
            guard error.code == .over, error.ends == nil else { throw error }
            return nil
        }
        let question = Question(challenge, of: enrollment)
        switch policy.current.verdict(on: question, at: Date()) {
        case .act(.approve(let number), let rule):
            return try await answer(question, approval(of: question, with: number), rule)
        case .act(.deny(let reason), let rule):
            return try await answer(question, .deny(reason), rule)
        case .act(.ignore, let rule):
            await show(.ignored(id, rule: rule))
            return .judged
        case .wait:
            guard let record = try await openRecord(of: id) else { return nil }
            await show(.question(ChallengeReport(record: record, challenge: challenge)))
            return .waits
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
    ) async throws(PushError) -> Courses.Course? {
        // What led here may have taken long. The next time, it is judged again.
        guard !isClosing else { return nil }
        let id = question.challenge.id
        answering += 1
        defer { answered() }
        let outcome =
            if case .deny(let reason) = resolution {
                try await session.authenticator.deny(id, reason)
            } else {
                try await session.authenticator.resolve(question.challenge, with: resolution)
            }
        let report = OutcomeReport(id: id, resolution: resolution, outcome: outcome)
        await show(.answered(report, rule: rule))
        // Sent again in the background, it may get another word yet.
        var course = Courses.Course.judged
        if outcome.isOpenEnded, await session.isDecided(id) { course = .waits }
        end(id, outcome.status(for: resolution))
        return course
    }

    private func answered() {
        answering -= 1
        guard answering == 0 else { return }
        for waiter in closing { waiter.resume() }
        closing = []
    }
}
