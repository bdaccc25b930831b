import Foundation
import HTTPTypes
import PushTesting

@testable import FictionalVendor
@testable import PushCore

/// One run of a scenario's processes over one store and one vendor, in which each step stands still
/// until it is told what becomes of it.
///
/// Only one flow runs at a time: it goes on until it stands before its next step. So a run depends
/// on the choices of its walk alone.
actor Schedule {
    private let scenario: Scenario
    private let mutant: ScheduleMutant?
    private let recordsBefore = RecordsBefore()
    private let store: InMemoryStore
    private let vendor: LoggingAcme
    private let time = ManualClock(morning)
    private var walk: ChoiceWalk
    private var rules = ScheduleRules()
    private var eventsLeft = 0
    private var chosen: [Chosen] = []
    private var lives: [ScheduledLife] = []
    private var late: [(request: HTTPRequest, body: Data)] = []
    private var isOver = false

    /// What came of a run.
    struct Report: Sendable {
        let walk: ChoiceWalk
        let violations: [ScheduleRules.Violation]
        /// What didn't pass, in order.
        let chosen: [Chosen]
    }

    /// What became of a step of a process.
    struct Chosen: Sendable {
        let process: String
        let point: SchedulePoint
        let event: ScheduleEvent
    }

    private init(
        _ scenario: Scenario, _ mutant: ScheduleMutant?, _ walk: ChoiceWalk, _ store: InMemoryStore
    ) {
        self.scenario = scenario
        self.mutant = mutant
        self.walk = walk
        self.store = store
        vendor = LoggingAcme(scenario.options)
        vendor.knowsAll = true
    }

    /// Runs a scenario once.
    ///
    /// - Parameters:
    ///   - scenario: What its processes do.
    ///   - mutant: What is broken in them.
    ///   - walk: What is chosen.
    ///   - records: What the store has at the beginning.
    /// - Returns: What came of it.
    /// - Throws: What writing the records throws, and making the processes.
    static func run(
        _ scenario: Scenario, _ mutant: ScheduleMutant? = nil, along walk: ChoiceWalk,
        from records: [StoredRecord]
    ) async throws -> Report {
        let store = InMemoryStore(isShared: scenario.isShared)
        for record in records {
            guard let value = try record.content.get()?.value else { continue }
            try await store.write(value, for: record.key, replacing: nil)
        }
        return try await Schedule(scenario, mutant, walk, store).run()
    }

    private func run() async throws -> Report {
        for stage in scenario.before { try await run(stage) }
        eventsLeft = scenario.events
        for stage in scenario.stages { try await run(stage) }
        eventsLeft = 0
        try await heal()
        for (request, body) in late { _ = process(request, body) }
        rules.judgeEnd(taken: vendor.taken)
        isOver = true
        for life in lives { life.bury() }
        // They hold this schedule.
        lives = []
        return Report(walk: walk, violations: rules.violations, chosen: chosen)
    }

    /// Leases and pauses end, and a process that nothing happens to resumes until nothing waits.
    /// What only the user can answer again, the user answers again.
    private func heal() async throws {
        let needsUser = [.part, .nothing].contains(scenario.options.kept)
        for _ in 0..<4 {
            try await run(.init(.init("healthy", .resume), after: .seconds(5000)))
            for (challenge, resolution) in rules.waiting where needsUser {
                try await run(.init(.init("healthy", .answer(challenge, resolution))))
            }
            if rules.waiting.isEmpty { return }
        }
    }

    // MARK: Processes

    private func run(_ stage: Scenario.Stage, isVisit: Bool = false) async throws {
        time.advance(by: stage.wait)
        guard !stage.mixes, stage.parts.count > 1 else {
            return try await run(stage.parts, isVisit: isVisit)
        }
        // What the others do comes before some step of the first, or after its last.
        var others = stage.parts
        let (life, end) = try await start(others.remove(at: walk.choose(others.count)))
        while life.isBusy {
            if !others.isEmpty, walk.choose(2) == 1 {
                try await run(others)
                others = []
            }
            try await advance(life, until: end)
        }
        try await run(others)
    }

    private func run(_ parts: [Scenario.Part], isVisit: Bool = false) async throws {
        var busy: [Started] = []
        for part in parts { busy.append(try await start(part, isVisit: isVisit)) }
        while true {
            busy.removeAll { !$0.life.isBusy }
            guard !busy.isEmpty else { return }
            let next = busy[busy.count == 1 ? 0 : walk.choose(busy.count)]
            try await advance(next.life, until: next.end)
        }
    }

    /// A process that does its part, and before which step it is killed.
    private typealias Started = (life: ScheduledLife, end: SchedulePoint.Kind?)

    private func start(_ part: Scenario.Part, isVisit: Bool = false) async throws -> Started {
        let known = lives.last { $0.name == part.process && $0.isAlive && !isVisit }
        let life =
            if let known { known } else {
                try begin(isVisit ? "visitor \(lives.count)" : part.process)
            }
        await life.begin {
            Task {
                for action in part.actions where life.isAlive {
                    let told = await life.act(action, prompt: scenario.prompt)
                    guard life.isAlive, let told else { continue }
                    rules.note(told: told.outcome, of: told.challenge, told.resolution)
                }
                life.end()
            }
        }
        return (life, part.end)
    }

    private func begin(_ name: String) throws -> ScheduledLife {
        let store = ScheduledStore(schedule: self, life: lives.count, isShared: scenario.isShared)
        let transport = ScheduledTransport(schedule: self, life: lives.count)
        let seams = mutant?.seams(store, transport, recordsBefore) ?? (store, transport)
        var options = scenario.options
        options.flaw = mutant?.flaw
        let life = try ScheduledLife(name, seams.store, seams.transport, time, options)
        lives.append(life)
        return life
    }

    // MARK: Choices

    /// Lets a process make its next step.
    private func advance(
        _ life: ScheduledLife, until end: SchedulePoint.Kind? = nil
    ) async throws {
        guard let point = life.point else { return }
        let event = point.kind == end ? .killedBefore : choose(point, of: life)
        switch event {
        case .killedBefore: life.kill()
        case .visit(let index):
            try await run(scenario.visits[index], isVisit: true)
            await life.go(.passes)
        case .renewal:
            time.advance(by: Scenario.lease / 2)
            await life.beginRenewing()
            while life.isRenewing, life.isAlive { try await advance(life) }
            if life.isAlive { await life.go(.passes) }
        default: await life.go(event)
        }
    }

    private func choose(_ point: SchedulePoint, of life: ScheduledLife) -> ScheduleEvent {
        guard eventsLeft > 0 else { return .passes }
        var events = point.kind.events
        if point.kind == .exchange, life.canRenew, rules.hasLeased(life.name) {
            events.append(.renewal)
        }
        events += scenario.visits.indices.map(ScheduleEvent.visit)
        let choice = walk.choose(events.count + 1)
        guard choice > 0 else { return .passes }
        eventsLeft -= 1
        chosen.append(Chosen(process: life.name, point: point, event: events[choice - 1]))
        return events[choice - 1]
    }

    // MARK: Steps

    private static let killed = PushError(.storage, "The process was killed.")

    /// A step of a process: waits until its turn has come, and makes of it what was chosen.
    private func step<Value: Sendable>(
        _ kind: SchedulePoint.Kind, _ place: String, by number: Int,
        leaving: () -> Void = {}, late: () -> Void = {},
        _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        guard !isOver else { throw Self.killed }
        let life = lives[number]
        let event = await life.stand(before: SchedulePoint(kind: kind, place: place))
        guard let event else { throw Self.killed }
        if event != .refused { leaving() }
        if event == .late { late() }
        let isMade = ![.refused, .requestLost, .late].contains(event)
        let made = isMade ? await Result { () async throws(PushError) in try await body() } : nil
        if event == .killedAfter {
            life.kill()
            await life.rest()
        }
        let heard: Result<Value, PushError> =
            if let made, event != .replyLost { made } else {
                .failure(event == .refused ? kind.refusal : kind.loss)
            }
        if life.isRenewing { follow(life, kind, heard.error) }
        return try heard.get()
    }

    /// Learns from a step that was to renew a lease whether another one follows.
    private func follow(_ life: ScheduledLife, _ kind: SchedulePoint.Kind, _ error: PushError?) {
        if kind == .write, error?.code == .conflict { return }
        if kind == .read, error == nil, rules.isLeased(by: life.name) { return }
        life.endRenewing(canRenew: kind == .write && error == nil)
    }

    func read(_ keys: [RecordKey], by life: Int) async throws(PushError) -> [StoredRecord] {
        try await step(.read, keys.first?.collection ?? "", by: life) {
            () async throws(PushError) in try await store.read(all: keys)
        }
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int, by life: Int
    ) async throws(PushError) -> NamePage {
        try await step(.read, collection, by: life) { () async throws(PushError) in
            try await store.names(in: collection, waiting: waiting, after: name, limit: limit)
        }
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool,
        by life: Int
    ) async throws(PushError) -> Revision? {
        try await step(.write, key.collection, by: life) { () async throws(PushError) in
            let written = try await store.write(
                value, for: key, replacing: revision, waits: waits)
            if key == RecordKey("enrollment", Enrollment.ID.ada) { rules.note(written: value) }
            return written
        }
    }

    func discard(_ key: RecordKey, by life: Int) async throws(PushError) {
        try await step(.write, key.collection, by: life) { () async throws(PushError) in
            try await store.discard(key)
        }
    }

    func exchange(
        _ request: HTTPRequest, _ body: Data, by life: Int
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        try await step(
            .exchange, request.path ?? "", by: life,
            leaving: { SentAnswer(request, body).map { rules.note(leaving: $0) } },
            late: { late.append((request, body)) }
        ) { process(request, body) }
    }

    private func process(
        _ request: HTTPRequest, _ body: Data
    ) -> (response: HTTPResponse, body: Data) {
        let reply = vendor.respond(
            to: request.path ?? "", body, mac: request.headerFields[AcmeWire.macField] ?? "")
        if let (answer, verdict) = vendor.takeArrival() { rules.note(arrived: answer, verdict) }
        return reply
    }
}
