import Foundation
import HTTPTypes
import PushCore

/// The exchanges with vendors, of which those that nobody waits for are kept to a number for each provider
/// at each server. So a vendor that never answers costs the others nothing, one behind the same gateway
/// neither.
actor VendorQuestions {
    /// Whether what a task does, and what it begins, is nothing that a user or a policy has just said:
    /// a push that proves nothing made it ask, or it goes through many devices.
    static let isAsking = TaskLocal<Bool>(wrappedValue: false)

    /// Whether it leaves a server alone that asked any device of this process for that.
    static let heedsPauses = TaskLocal<Bool>(wrappedValue: false)

    /// Does something that nobody waits for: a vendor that hangs or wants to be left alone is spared.
    static func sparing<Value: Sendable>(
        _ body: @Sendable () async -> Value
    ) async -> Value {
        await isAsking.withValue(true) { await heedsPauses.withValue(true) { await body() } }
    }

    /// Why nothing was sent now; it can be later.
    enum Delay: Error {
        case busy
        case pause
    }

    /// The longest pause that counts: one that any gateway may have asked for. No vendor of ours that has a
    /// list documents another, and the core heeds those by itself.
    private static let longestPause = Duration.seconds(300)

    /// Whom a question is asked.
    struct Addressee: Hashable {
        let provider: ProviderID?
        let server: String
    }

    /// How many are on their way to an addressee at the same time.
    static let width = 16

    /// How many may wait for one of those to end, and for how long; then the push's sender sends it again.
    static let capacity = 256
    private static let patience = Duration.seconds(3)

    /// After how long a server that hasn't answered is said to hang.
    private let limit: Duration

    private struct Asked {
        var starts: [Int: ContinuousClock.Instant] = [:]
        /// Those that wait for no turn, such as answers.
        var others: [Int: ContinuousClock.Instant] = [:]
        var waiting: [(number: Int, turn: AsyncStream<Bool>.Continuation)] = []
    }

    private let clock: any PushClock
    private var asked: [Addressee: Asked] = [:]
    private var pauses: [Addressee: Duration] = [:]
    private var nextNumber = 0

    /// - Parameters:
    ///   - limit: After how long a server that hasn't answered is said to hang.
    ///   - clock: What pauses are measured by.
    init(limit: Duration = .seconds(5), clock: any PushClock = SystemClock()) {
        self.limit = limit
        self.clock = clock
    }

    /// Who lets a question or an answer wait for too long now, such as `acme at mfa.example`.
    var hanging: [String] {
        asked.filter { isHanging($0.value) }
            .keys.map { "\($0.provider?.rawValue ?? "somebody") at \($0.server)" }.sorted()
    }

    private func isHanging(_ asked: Asked) -> Bool {
        [asked.starts, asked.others].contains { starts in
            starts.values.contains { $0.duration(to: .now) > limit }
        }
    }

    /// Asks something once it is its turn.
    ///
    /// - Parameters:
    ///   - addressee: Whom.
    ///   - body: What to do.
    /// - Returns: What it returns.
    /// - Throws: What it throws; `PushError` with `unreachable` if its turn doesn't come.
    func ask<Value: Sendable>(
        _ addressee: Addressee, _ body: @Sendable () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let number = try await enter(addressee)
        do throws(PushError) {
            let value = try await body()
            leave(addressee, number)
            return value
        } catch {
            leave(addressee, number)
            throw error
        }
    }

    /// Notes that something begins that waits for no turn, such as sending an answer.
    ///
    /// - Returns: Its number, for ``end(_:_:)``.
    func begin(_ addressee: Addressee) -> Int {
        nextNumber += 1
        asked[addressee, default: Asked()].others[nextNumber] = .now
        return nextNumber
    }

    func end(_ addressee: Addressee, _ number: Int) {
        asked[addressee]?.others[number] = nil
        forgetIdle(addressee)
    }

    /// Learns from a reply whether its server wants to be left alone.
    func note(_ response: HTTPResponse, of addressee: Addressee) {
        if response.status.kind == .successful { pauses[addressee] = nil }
        guard let pause = response.pause(at: clock.now, near: clock.now) else { return }
        let end = clock.elapsed + min(pause, Self.longestPause)
        pauses[addressee] = max(pauses[addressee] ?? .zero, end)
    }

    /// Refuses while a server wants to be left alone.
    ///
    /// - Throws: `PushError` with `unreachable`.
    func requireNoPause(of addressee: Addressee) throws(PushError) {
        guard let end = pauses[addressee] else { return }
        guard end <= clock.elapsed else {
            throw PushError(
                .unreachable, "The server asked this process to wait.", underlying: Delay.pause)
        }
        pauses[addressee] = nil
    }

    private func enter(_ addressee: Addressee) async throws(PushError) -> Int {
        nextNumber += 1
        let number = nextNumber
        let known = asked[addressee] ?? Asked()
        guard known.starts.count >= Self.width else {
            asked[addressee, default: known].starts[number] = .now
            return number
        }
        // Where those before it got no answer for long, it will get none.
        guard known.waiting.count < Self.capacity, !isHanging(known) else { throw Self.busy }
        let (turns, turn) = AsyncStream<Bool>.makeStream()
        asked[addressee]?.waiting.append((number, turn))
        let clock = Task {
            try await Task.sleep(for: Self.patience)
            giveUp(number, addressee)
        }
        defer { clock.cancel() }
        for await isMine in turns where isMine { return number }
        giveUp(number, addressee)
        throw Self.busy
    }

    private func giveUp(_ number: Int, _ addressee: Addressee) {
        guard let index = asked[addressee]?.waiting.firstIndex(where: { $0.number == number })
        else {
            return
        }
        asked[addressee]?.waiting.remove(at: index).turn.finish()
    }

    private func leave(_ addressee: Addressee, _ number: Int) {
        guard var known = asked[addressee] else { return }
        known.starts[number] = nil
        while known.starts.count < Self.width, !known.waiting.isEmpty {
            let next = known.waiting.removeFirst()
            known.starts[next.number] = .now
            next.turn.yield(true)
            next.turn.finish()
        }
        asked[addressee] = known
        forgetIdle(addressee)
    }

    private func forgetIdle(_ addressee: Addressee) {
        guard let known = asked[addressee], known.starts.isEmpty, known.others.isEmpty else {
            return
        }
        asked[addressee] = nil
    }

    private static let busy = PushError(
        .unreachable, "As many questions are at this vendor as may be, and none was answered.",
        underlying: Delay.busy)
}

extension PushError {
    /// Whether this process sent nothing, to spare a vendor that is in trouble.
    var isDelay: Bool { underlying is VendorQuestions.Delay }
}

/// A network on which the questions that nobody waits for wait for their turn.
struct QuestioningTransport: Transport {
    let base: any Transport
    let questions: VendorQuestions

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let addressee = VendorQuestions.Addressee(
            provider: .sending, server: request.authority ?? "")
        if VendorQuestions.heedsPauses.get() {
            try await questions.requireNoPause(of: addressee)
        }
        let reply =
            if VendorQuestions.isAsking.get() {
                try await questions.ask(addressee) {
                    () async throws(PushError) -> (response: HTTPResponse, body: Data) in
                    try await base.send(request, body: body)
                }
            } else {
                try await answer(request, body, addressee)
            }
        await questions.note(reply.response, of: addressee)
        return reply
    }

    private func answer(
        _ request: HTTPRequest, _ body: Data, _ addressee: VendorQuestions.Addressee
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let number = await questions.begin(addressee)
        let result = await Result { () async throws(PushError) in
            try await base.send(request, body: body)
        }
        await questions.end(addressee, number)
        return try result.get()
    }
}
