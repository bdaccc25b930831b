import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// Events in random orders drive the real authenticator and the simulator, and after each what the
/// app sees is compared with a small model of `docs/vendors/xignin-oxrw.md#at-the-device`.
@Suite struct RandomOrderTests {
    @Test(arguments: 0..<300)
    func `no order of events breaks the table`(seed: Int) async throws {
        let run = try await RandomRun(seed: UInt64(seed))
        try await run.play()
        #expect(run.findings.isEmpty, "Seed \(seed): \(run.findings) after \(run.trace)")
    }
}

/// One process, two devices, and a user who does anything at any time.
final class RandomRun {
    enum Event: CaseIterable {
        case announcement, cancel, open, approve, mistype, deny, abort, otherStarts, otherApproves
        case otherDenies, time, restart, resume, loseAnswer, dropAnswer, loseOpening
        case incompatible, foreign
    }

    private let random: SeededRandom
    private let clock: ManualClock
    private let simulator: XignInSimulator
    private let store = Hoard()
    private let keypad = Keypad()
    private var faults = FaultPlan()
    private var phone: PushAuthenticator
    private let other: PushAuthenticator
    private let id: Challenge.ID
    private let login: SimulatedLogin.ID
    private let announcement: PushMessage
    private var cancels: [PushMessage] = []
    private let board = Board()
    private var isOverUnseen = false
    /// Of another process: a question that only a newer version understands, and its cancel.
    private let newer: PushMessage
    private let elsewhere: PushMessage

    private(set) var trace: [String] = []
    private(set) var findings: [String] = []

    init(seed: UInt64) async throws {
        random = SeededRandom(seed: seed)
        clock = ManualClock(Date(WorkedExample.now))
        var configuration = XignInSimulator.Configuration(
            identifier: WorkedExample.idm, clock: clock, random: SeededRandom(seed: seed &+ 1))
        configuration.processLifetime = .seconds(170)
        configuration.lockouts.attempts = nil
        simulator = XignInSimulator(configuration)
        phone = try Self.device(simulator, store, keypad, clock, faults, seed: seed &+ 2)
        other = try Self.device(
            simulator, Hoard(), Keypad(), clock, FaultPlan(), seed: seed &+ 3)
        for (device, token) in [(phone, "token-a"), (other, "token-b")] {
            try await device.deviceTokenChanged(.fcm(token))
            let offers = try device.offers(for: await simulator.invitation(for: "alice"))
            _ = try await device.enroll(try #require(offers.first))
        }
        let started = try await simulator.startLogin(of: "alice", asking: .confirm)
        login = started.id
        var mine: PushMessage?
        for push in await simulator.takePushes() {
            if push.deviceToken == .fcm("token-a") {
                mine = try push.message()
            } else {
                _ = try await other.receive(push.message())
            }
        }
        announcement = try #require(mine)
        let row = try #require(await other.records().first)
        id = row.id
        let stranger = try await simulator.startLogin(
            of: "alice", asking: .confirm, spoiledBy: .minimumVersion("9.0.0"))
        newer = try Self.mine(await simulator.takePushes())
        try await simulator.cancel(stranger.id)
        elsewhere = try Self.mine(await simulator.takePushes())
    }

    private static func mine(_ pushes: [SimulatedPush]) throws -> PushMessage {
        try #require(pushes.first { $0.deviceToken == .fcm("token-a") }).message()
    }

    private static func device(
        _ simulator: XignInSimulator, _ store: Hoard, _ keypad: Keypad, _ clock: ManualClock,
        _ faults: FaultPlan, seed: UInt64
    ) throws -> PushAuthenticator {
        try App(
            over: SimulatedTransport(to: simulator, faults: faults), store: store, user: keypad,
            clock: clock, .init(seed: seed)
        ).authenticator
    }

    private func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    func play() async throws {
        // Mostly the announcement comes first, as else little can happen; cancels may overtake it.
        if draw(5) > 0 { try await happen(.announcement) }
        for _ in 0..<(4 + draw(14)) {
            guard let event = Event.allCases.dropFirst(draw(Event.allCases.count)).first else {
                continue
            }
            try await happen(event)
        }
        // Everything ends: the network heals, and the deadline passes.
        faults = FaultPlan()
        phone = try Self.device(simulator, store, keypad, clock, faults, seed: 99)
        _ = try? await phone.resume()
        if case .decided(.approve) = try await state() { try await happen(.approve) }
        clock.advance(by: .seconds(1000))
        _ = try? await phone.resume()
        try await checkEnd()
    }

    private func state() async throws -> ChallengeRecord.State? {
        try await phone.record(of: id)?.state
    }

    private func happen(_ event: Event) async throws {
        trace.append("\(event)")
        let before = try await state()
        let truth = try await simulator.status(of: login)
        switch event {
        case .announcement: try await take(announcement, event, before)
        case .cancel:
            guard !cancels.isEmpty else { return }
            try await take(cancels.remove(at: draw(cancels.count)), event, before)
        case .open: _ = try? await phone.challenge(id)
        case .approve: await approve(WorkedExample.pin)
        case .mistype: await approve(WorkedExample.wrongPIN)
        case .deny: _ = try? await phone.deny(id)
        case .abort: _ = try? await simulator.cancel(login)
        case .otherStarts: _ = try? await other.challenge(id)
        case .otherApproves:
            if let challenge = try? await other.challenge(id) {
                _ = try? await other.resolve(challenge, with: .approve)
            }
        case .otherDenies: _ = try? await other.deny(id)
        case .time: clock.advance(by: .seconds(50))
        case .restart:
            faults = FaultPlan()
            phone = try Self.device(
                simulator, store, keypad, clock, faults, seed: random.next())
        case .resume: _ = try? await phone.resume()
        case .loseAnswer, .dropAnswer:
            await faults.next(
                event == .loseAnswer ? .dropAfter : .dropBefore,
                where: {
                    $0.path?.hasSuffix("/finish") == true || $0.path?.hasSuffix("/reject") == true
                })
        case .loseOpening:
            await faults.next(.dropAfter, where: { $0.path?.hasSuffix("/start") == true })
        case .incompatible: try await take(newer, event, before)
        case .foreign: try await take(elsewhere, event, before)
        }
        try await collect()
        try await check(event, before, truth)
    }

    /// Takes a push and shows what came of it, as an app does.
    private func take(
        _ message: PushMessage, _ event: Event, _ before: ChallengeRecord.State?
    ) async throws {
        let receptions = (try? await phone.receive(message).receptions) ?? []
        for reception in receptions {
            try await phone.present(.received(reception), on: board, by: NotificationPolicy())
            let isOwn = event == .announcement || event == .cancel
            if (reception.challenge == id) != isOwn { find("\(event) was about another process") }
            if case .notice = reception.kind, reception.isNew, before != nil {
                find("\(event) is new a second time")
            }
        }
        let isAsked = await board.shown.contains {
            $0.challenge == id && $0.category == .question
        }
        guard !receptions.isEmpty, event == .announcement || event == .cancel else { return }
        if isAsked != (try await state() == .open) {
            find("\(event) leaves the notification \(isAsked ? "of what is over" : "out")")
        }
    }

    private func approve(_ pin: String) async {
        await keypad.type(pin)
        guard let challenge = try? await phone.challenge(id) else { return }
        _ = try? await phone.resolve(challenge, with: .approve)
    }

    private func collect() async throws {
        for push in await simulator.takePushes() {
            if push.deviceToken == .fcm("token-a") {
                cancels.append(try push.message())
            } else {
                _ = try? await other.receive(push.message())
            }
        }
    }

    private func find(_ text: String) { findings.append(text) }

    /// The cells of the table that follow from where it stood and what happened.
    private func check(
        _ event: Event, _ before: ChallengeRecord.State?, _ truth: SimulatedLogin.Status
    ) async throws {
        let after = try await state()
        switch (before, after) {
        case (.over, _) where after != before: find("\(event) left a terminal state")
        case (.answered(_, .unknown), .answered): break
        case (.answered, _) where after != before: find("\(event) left a terminal state")
        case (.decided(let one), .decided(let two)) where one != two:
            find("\(event) exchanged the decision")
        default: break
        }
        switch event {
        case .announcement, .cancel:
            if case .decided = before, after != before { find("\(event) moved an answer") }
            if event == .cancel, before == .open {
                if case .over = after {} else { find("a cancel ended nothing") }
            }
            // Of what a cancel named before it was announced there is no row, but a tombstone.
            if event == .cancel, before == nil { isOverUnseen = true }
            if isOverUnseen, after != nil { find("a tombstone let \(event) through") }
        case .abort, .otherStarts, .otherApproves, .otherDenies, .time, .restart, .loseAnswer,
            .dropAnswer, .loseOpening, .incompatible, .foreign:
            if after != before { find("\(event) moved \(String(describing: before))") }
        case .open:
            if case .decided = after, after != before { find("opening decided") }
            if case .answered = after, after != before { find("opening answered") }
            // What the manager says is over is over here, once it is asked.
            if before == .open, after == .open, truth != .waiting, await faults.remaining == 0 {
                find("an end that was told while opening left it open")
            }
        case .mistype:
            // What was decided before may be delivered now; nothing else is a success.
            if before == .open, case .answered(_, .delivered) = after {
                find("a wrong PIN was taken")
            }
        case .approve, .deny, .resume: break
        }
        if case .answered(.approve, .delivered) = after, before != after {
            let now = try await simulator.status(of: login)
            if now != .approved { find("the app believes in a login that is \(now)") }
        }
        if case .answered(.deny, .delivered) = after, before != after {
            let now = try await simulator.status(of: login)
            if now != .denied { find("the app believes in a no that is \(now)") }
        }
        let isFinal = truth != .waiting
        if isFinal, try await simulator.status(of: login) != truth {
            find("\(event) changed the manager's mind from \(truth)")
        }
    }

    private func checkEnd() async throws {
        let end = try await state()
        trace.append("end: \(String(describing: end))")
        if case .decided = end { find("an answer has no end") }
        if end == .open {
            // Nobody decided: the deadline shows itself when it is looked at.
            _ = try? await phone.challenge(id)
            if (try? await phone.deny(id)) == .delivered { find("an expired process was denied") }
            if try await state() == .open { find("an expired process has no end") }
        }
    }
}
