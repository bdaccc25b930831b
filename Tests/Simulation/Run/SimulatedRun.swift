import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What every schedule consists of, whoever the vendor is: time, processes, a store and a network
/// that fail, and one source of chance.
///
/// `@unchecked Sendable` is safe because the scheduler runs every job that touches it on the one
/// thread that made it.
class SimulatedRun: @unchecked Sendable {
    struct Settings {
        var networkFaults = 0
        var storeFaults = 0
        /// Whether the store reads several records by one trip, and says with a conflict what is
        /// there.
        var isServer = false
        /// Whether it tells the records in which something waits from the others.
        var marksWaiting = false
        /// Whether its processes run on machines of their own.
        var isShared = false
        var kills = 0
        var hops = 0
        var processes = 1
        var damages = false
        var names: [String?] = []
        var bursts = 0
        var asksAfterPush = false
        /// Whether what is over is forgotten as soon as its challenge has surely expired.
        var forgetsSoon = false
        /// How many challenges of each enrollment stay whole that are over; others leave a trace.
        var rows = 16
        var actions = 0
    }

    struct Sleeper {
        let at: Int
        let order: Int
        let wake: () -> Void
    }

    let seed: UInt64
    var draw: Draw
    let scheduler = Scheduler()
    private(set) var steps = 0
    let settings: Settings
    let mutation: Mutation?
    var records: [RecordKey: (value: Secret, revision: Revision)] = [:]
    var lastRevision: UInt64 = 0
    /// The records of which the last write said that something waits in them.
    var waiting: Set<RecordKey> = []
    /// Which challenge each digest stands for that was ever on record.
    var challenges: [[UInt8]: Challenge.ID] = [:]

    /// Milliseconds since the schedule began.
    var elapsed = 0
    /// How far the device's wall clock is off, in milliseconds.
    var deviceSkew = 0
    /// How far the clock of each machine is off the device's, in milliseconds.
    let machineSkews: [Int]
    let serverSkew: Int
    var sleepers: [Sleeper] = []
    private var lastOrder = 0
    private var cancelledSleeps: Set<Int> = []
    var damaged: Set<RecordKey> = []
    /// Challenges and enrollments of which a record was damaged, and so may be lost.
    var spoiled: Set<String> = []
    private var hopping: [UnsafeContinuation<Void, Never>] = []
    var graves: [UnsafeContinuation<Void, Never>] = []
    var isTornDown = false
    /// Whether the network is down, and whether the store is locked, for a while.
    var isOffline = false
    var isLocked = false
    /// Whether nothing goes wrong any more.
    var isHealed = false

    var processes: [Process] = []
    var lives = 0
    var killsLeft: Int
    var calls: [Call] = []
    var transmissions: UInt64 = 0
    var violations: [Violation] = []
    private(set) var trace: [String]?
    var tally = Tally()

    /// Until when a server wanted to be left alone with an answer, by its challenge.
    var pauses: [String: (end: Int, life: Int)] = [:]
    var lastPause = 0

    /// How many replies told a time that no clock shows.
    var lies = 0

    // What the app and the user saw.
    var known: [Challenge.ID] = []
    var announcedAsNew: [String] = []
    /// The challenges of which a process was told that they are over.
    var ended: Set<Challenge.ID> = []
    var names = 0

    static let start = 2_000_000_000_000
    static let stepLimit = 60_000

    init(seed: UInt64, draw: Draw, mutation: Mutation?, tracing: Bool) {
        self.seed = seed
        self.mutation = mutation
        var draw = draw
        var settings = Settings()
        settings.networkFaults = draw.pick([0, 10, 25, 50])
        settings.storeFaults = draw.pick([0, 0, 0, 3, 10])
        settings.kills = draw.pick([0, 0, 1, 1, 2, 3])
        settings.hops = draw.pick([10, 40, 70])
        settings.processes = draw.pick([1, 1, 2])
        settings.actions = 4 + draw.below(9)
        settings.asksAfterPush = draw.percent(40)
        settings.damages = draw.percent(15)
        settings.names = draw.percent(70) ? ["app", "extension"] : [nil, nil]
        settings.bursts = draw.below(3)
        settings.forgetsSoon = draw.percent(30)
        settings.rows = draw.pick([16, 16, 2, 0])
        settings.isServer = draw.percent(50)
        settings.marksWaiting = draw.percent(70) || mutation == .losesMarks
        settings.isShared = settings.processes > 1 && draw.percent(50)
        let skew = draw.pick([0, 20, -20, 5000, -5000, 3_600_000, -3_600_000])
        machineSkews = [0, settings.isShared ? skew : 0]
        self.settings = settings
        killsLeft = settings.kills
        serverSkew = draw.pick([0, 0, -1, 1]) * draw.below(7_200_000)
        self.draw = draw
        if tracing { trace = [] }
        note("\(settings) mutation \(mutation?.rawValue ?? "none")")
    }

    // MARK: What a kind of world decides

    /// Runs the schedule from its first enrollment to the verdict.
    func play() {}

    /// Whether an error that a call ended with needs no more explanation than the faults here.
    func explains(_ error: PushError, of call: String) -> Bool {
        switch error.code {
        case .storage, .storageUnknown, .unreachable, .interrupted, .server, .over,
            .decidedOtherwise, .cancelled,
            .unknownEnrollment, .notFound, .untrusted, .conflict:
            true
        case .malformed, .unsupportedRecord: !spoiled.isEmpty
        case .invalidInvitation, .invitationSpent: call.hasPrefix("enroll")
        default: false
        }
    }

    /// The providers under test, for one process.
    func providers(in environment: PushEnvironment) -> [any PushProvider] { [] }

    /// The push services that give this device tokens.
    var services: [DeviceToken.Service] { [.fcm] }

    /// Hears of a reply with a time that no clock shows.
    func heardLie(_ seconds: Int, in life: Life) async {}

    /// Which question a request asks, if it asks what waits.
    func question(in exchange: Exchange) -> String? { nil }

    /// How many enrollments may ask the same question.
    var askers: Int { 1 }

    /// Whether a challenge may be forgotten, as it has surely expired.
    func mayBeForgotten(_ id: Challenge.ID) -> Bool { false }

    /// Hears that a process was told that a challenge is over.
    func noteEnd(_ withdrawal: Withdrawal) {}

    /// Has the server process what the network brought.
    func respond(to exchange: Exchange, _ copy: Copy) async -> Reply {
        (HTTPResponse(status: .notFound), Data())
    }

    /// Hears that a request will come after its sender has given up.
    func delayed(_ exchange: Exchange) {}

    /// Hears that a bit of a reply was flipped.
    func corrupted(_ exchange: Exchange) {}

    /// Which challenge a request answers, if it does and the world can tell.
    func challenge(answeredBy exchange: Exchange) -> String? { nil }

    /// What the user chooses who wants something.
    func resolution(of intent: Intent, for challenge: Challenge) -> Resolution {
        .deny(.unexpected)
    }

    /// Whether what a forged push led to is more than it may lead to.
    func isBelieved(_ receptions: [Reception]) -> Bool { !receptions.isEmpty }

    /// Hears what a push led to.
    func received(_ receptions: [Reception], from push: JSON) {}

    /// Hears what the user chose, before it is recorded.
    func decided(_ resolution: Resolution, on id: Challenge.ID) {}

    /// Compares what the app is told with what the server knows.
    func judge(_ outcome: Outcome, of resolution: Resolution, on id: Challenge.ID) {}

    /// What a user who is asked brings.
    var evidence: (right: [Evidence], wrong: [Evidence]) { ([.presence], [.presence]) }

    /// The server's time in milliseconds since 1970.
    var serverNow: Int { Self.start + elapsed + serverSkew }

    func note(_ text: @autoclosure () -> String) {
        guard trace != nil else { return }
        trace?.append("\(elapsed / 1000).\(elapsed % 1000 / 100) \(text())")
    }

    func violate(_ rule: Violation.Rule, _ text: String) {
        violations.append(Violation(rule, text))
        note("VIOLATION \(rule): \(text)")
    }

    // MARK: Running

    /// Lets another job go first, now and then.
    func hop() async {
        guard !isTornDown, draw.percent(settings.hops) else { return }
        await withUnsafeContinuation { hopping.append($0) }
    }

    /// Runs jobs until there are none, or the limit is reached.
    func run(_ limit: Int = .max) {
        var left = limit
        while left > 0 {
            let waiting = hopping
            hopping = []
            for continuation in waiting { continuation.resume() }
            let ready = scheduler.waiting
            guard ready > 0, steps < Self.stepLimit else { return }
            let index = ready == 1 ? 0 : draw.below(ready)
            steps += 1
            left -= 1
            scheduler.run(index)
        }
    }

    /// Lets time pass, and runs what it wakes.
    func advance(_ milliseconds: Int) {
        let end = elapsed + milliseconds
        run()
        while let next = sleepers.min(by: { ($0.at, $0.order) < ($1.at, $1.order) }),
            next.at <= end, steps < Self.stepLimit
        {
            sleepers.removeAll { $0.order == next.order }
            elapsed = max(elapsed, next.at)
            next.wake()
            run()
        }
        elapsed = max(elapsed, end)
    }

    func after(_ milliseconds: Int, _ wake: @escaping () -> Void) {
        lastOrder += 1
        sleepers.append(Sleeper(at: elapsed + milliseconds, order: lastOrder, wake: wake))
    }

    /// Sleeps until so much time has passed, or the task is cancelled.
    func sleep(_ milliseconds: Int) async {
        guard milliseconds > 0, !isTornDown else { return }
        lastOrder += 1
        let order = lastOrder
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                guard cancelledSleeps.remove(order) == nil else { return continuation.resume() }
                sleepers.append(
                    Sleeper(at: elapsed + milliseconds, order: order) { continuation.resume() })
            }
        } onCancel: {
            if let index = sleepers.firstIndex(where: { $0.order == order }) {
                sleepers.remove(at: index).wake()
            } else {
                cancelledSleeps.insert(order)
            }
        }
    }
}
