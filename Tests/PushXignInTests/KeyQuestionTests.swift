import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import PushXignInReference
import Testing

/// Pushes with a key that isn't pinned: what they cost, and what they mustn't.
@Suite struct KeyQuestionTests {
    private let harness: XignInHarness
    private let phone: Phone

    init() async throws {
        harness = try await XignInHarness()
        phone = try Self.hurried(harness)
    }

    /// A phone that sleeps as long as it likes, and in no time.
    private static func hurried(
        _ harness: XignInHarness, sleeping: (@Sendable (ManualClock, Duration) async -> Void)? = nil
    ) throws -> Phone {
        let (clock, time) = (harness.phone.clock, harness.manager.time)
        var kind = Phone.Kind()
        kind.sleeping = { duration in
            if let sleeping { return await sleeping(clock, duration) }
            // Who keeps the lease of an answer would let it expire in no time, too.
            guard duration != PushConfiguration().lease / 2 else {
                try? await Task.sleep(for: .seconds(3600))
                return
            }
            clock.advance(by: duration)
            time.advance(by: duration)
        }
        var configuration = Phone.quick
        configuration.wireFormat = OpenReferenceWireFormat()
        return try Phone(
            [harness.manager], store: harness.phone.store, clock: clock,
            keypad: harness.phone.keypad,
            configuration: configuration, kind: kind)
    }

    private var manager: Manager { harness.manager }

    /// How a manager may be kept from answering, with no forger about.
    enum Silence: CaseIterable {
        case page, unreachable, unavailable
    }

    @Sendable private static func asksForKeys(_ request: HTTPRequest) -> Bool {
        request.path?.hasSuffix("/manager-keys") == true
    }

    private func forged(_ name: String) async throws -> [String: String] {
        try await manager.push("prc-\(name)", to: WorkedExample.activation)
            .with(header: "kid", .string("key-\(name)")).data(SigningKey())
    }

    /// A login by a manager that signs with a new key: its process, and its push.
    private func rotatedLogin() async throws -> (pid: String, push: [String: String]) {
        let old = await manager.signer
        await manager.rotate(announced: true)
        let pid = await manager.begin()
        let push = try #require(await manager.take().last)
        // Answers are still signed with the key that is pinned.
        await manager.sign(with: old)
        return (pid, push)
    }

    @Test
    func `a push whose key isn't pinned is on record only once the manager's keys have come`()
        async throws
    {
        let (pid, push) = try await rotatedLogin()
        let gate = Gate()
        await manager.before(.keys) { await gate.pass() }
        let authenticator = phone.authenticator
        async let accepted = authenticator.accept(PushMessage(fcm: push))
        await gate.arrival()
        #expect(try await authenticator.records().isEmpty)
        await gate.open()
        #expect(try await accepted.receipt.count == 1)
        #expect(try await phone.state(pid) == .open)
    }

    @Test(arguments: [0, 1, 2, 5, 60, 600, 3500])
    func `a forged push doesn't cost the login of a rotated key`(later: Int) async throws {
        #expect(await phone.refusal(of: try await forged("1"))?.code == .invalidSignature)
        #expect(await manager.requests(.keys).count == 1)
        phone.pass(later)
        let (pid, push) = try await rotatedLogin()
        guard case .authentication = try await phone.handle(push) else {
            Issue.record("The login arrives.")
            return
        }
        #expect(await manager.requests(.keys).count == 2)
        #expect(try await phone.approve(pid) == .delivered)
    }

    @Test func `neither do several`() async throws {
        for number in 1...3 {
            #expect(
                await phone.refusal(of: try await forged("\(number)"))?.code == .invalidSignature)
        }
        // Later the pauses are longer, so a push may come too early; the next one doesn't.
        phone.pass(30)
        let (pid, push) = try await rotatedLogin()
        #expect(try await phone.handle(push) != nil)
        #expect(try await phone.approve(pid) == .delivered)
        #expect(await manager.requests(.keys).count == 4)
    }

    @Test func `a thousand forged pushes with a thousand keys cost ten questions an hour`()
        async throws
    {
        let key = RecordKey.enrollment(phone.enrollmentID())
        let before = try #require(await phone.store.now[key]?.count)
        let records = await phone.store.count
        var phone = self.phone
        for number in 0..<1000 {
            if number.isMultiple(of: 100) {
                // The budget outlives the app.
                phone = try Self.hurried(harness)
            }
            let data = try await forged("\(number)")
            #expect(await phone.refusal(of: data)?.code == .invalidSignature)
            if number < 990 { phone.pass(3) }
        }
        #expect(await manager.requests(.keys).count == 10)
        let after = try #require(await phone.store.now[key]?.count)
        #expect(after - before < 1000)
        // Nothing but the credential was written, and none of the pushes.
        #expect(await phone.store.count == records)
        #expect(await !phone.store.everHeld(Array("key-7".utf8)))
        phone.pass(3600)
        let (pid, push) = try await rotatedLogin()
        #expect(try await phone.handle(push) != nil)
        #expect(try await phone.approve(pid) == .delivered)
    }

    @Test func `a flood leaves questions for later in the hour`() async throws {
        for number in 0..<100 { _ = await phone.refusal(of: try await forged("\(number)")) }
        let spent = await manager.requests(.keys).count
        #expect(spent < 6)
        phone.pass(600)
        let (_, push) = try await rotatedLogin()
        #expect(try await phone.handle(push) != nil)
    }

    @Test func `about one key a manager is asked twice an hour`() async throws {
        let data = try await forged("again")
        for _ in 0..<50 {
            #expect(await phone.refusal(of: data)?.code == .invalidSignature)
            phone.pass(60)
        }
        #expect(await manager.requests(.keys).count == 2)
    }

    @Test
    func `a push that comes too early waits in memory, and is tried again after the question`()
        async throws
    {
        let gate = Gate()
        let waiting = try Self.hurried(harness) { clock, duration in
            await gate.pass()
            clock.advance(by: duration)
        }
        _ = await waiting.refusal(of: try await forged("1"))
        let (pid, push) = try await rotatedLogin()
        async let result = waiting.handle(push)
        await gate.arrival()
        #expect(await manager.requests(.keys).count == 1)
        #expect(try await waiting.state(pid) == nil)
        let token = try #require(push["oxrw_msg"])
        #expect(await !waiting.store.everHeld(Array(token.utf8)))
        await gate.open()
        guard case .authentication(let message) = try await result else {
            Issue.record("It is tried again, and is genuine.")
            return
        }
        #expect(message.processId == pid)
        #expect(await manager.requests(.keys).count == 2)
    }

    @Test func `a few pushes wait at the most, and one question is for all of them`() async throws {
        let gate = Gate()
        let waiting = try Self.hurried(harness) { clock, duration in
            await gate.pass()
            clock.advance(by: duration)
        }
        _ = await waiting.refusal(of: try await forged("1"))
        var pushes: [[String: String]] = []
        for number in 0..<50 { pushes.append(try await forged("of-many-\(number)")) }
        await withTaskGroup(of: XignPushHandleMessageErrorCodes?.self) { group in
            for push in pushes { group.addTask { await waiting.refusal(of: push)?.code } }
            // These come back before there is an answer: they make room.
            for _ in 0..<42 { #expect(await group.next() == .invalidSignature) }
            #expect(await manager.requests(.keys).count == 1)
            await gate.open()
            for await code in group { #expect(code == .invalidSignature) }
        }
        #expect(await manager.requests(.keys).count == 2)
    }

    @Test func `a question whose answer is lost is asked once more for the push that waits`()
        async throws
    {
        let (pid, push) = try await rotatedLogin()
        await phone.faults.next(.dropAfter, where: Self.asksForKeys)
        #expect(try await phone.handle(push) != nil)
        #expect(try await phone.state(pid) == .open)
        #expect(await manager.requests(.keys).count == 2)
    }

    @Test(arguments: Silence.allCases)
    func `an outage doesn't cost the logins of a rotated key`(silence: Silence) async throws {
        let (pid, push) = try await rotatedLogin()
        for _ in 0..<2 {
            switch silence {
            case .page: await manager.next(.keys, .replaced(200, .page, processed: false))
            case .unreachable: await phone.faults.next(.refuse, where: Self.asksForKeys)
            case .unavailable: await phone.faults.next(.status(503), where: Self.asksForKeys)
            }
        }
        #expect(await phone.refusal(of: push)?.code == .invalidSignature)
        #expect(await phone.faults.remaining == 0)
        // What was counted outlives the app, and what wasn't answered isn't held against the key.
        let phone = try Self.hurried(harness)
        phone.pass(6)
        #expect(try await phone.handle(push) != nil)
        #expect(try await phone.approve(pid) == .delivered)
    }

    @Test func `questions without an answer are as few in an hour as any`() async throws {
        let (_, push) = try await rotatedLogin()
        for _ in 0..<60 {
            for _ in 0..<2 { await phone.faults.next(.dropAfter, where: Self.asksForKeys) }
            _ = await phone.refusal(of: push)
            phone.pass(30)
        }
        #expect(await manager.requests(.keys).count <= 10)
    }

    @Test func `a push waits no longer than the app allows, for both questions together`()
        async throws
    {
        for name in ["1", "2"] { _ = await phone.refusal(of: try await forged(name)) }
        let (_, push) = try await rotatedLogin()
        await phone.faults.next(.dropAfter, where: Self.asksForKeys)
        let start = phone.clock.elapsed
        #expect(await phone.refusal(of: push)?.code == .invalidSignature)
        #expect(phone.clock.elapsed - start <= .seconds(15))
        #expect(await manager.requests(.keys).count == 3)
        phone.pass(12)
        #expect(try await phone.handle(push) != nil)
    }

    @Test func `a clock that was set back doesn't shut the questions`() async throws {
        _ = await phone.refusal(of: try await forged("1"))
        phone.clock.set(phone.clock.now - 1800)
        let (pid, push) = try await rotatedLogin()
        #expect(try await phone.handle(push) != nil)
        #expect(try await phone.approve(pid) == .delivered)
    }

    @Test func `an app that may not wait refuses what comes too early`() async throws {
        _ = await harness.phone.refusal(of: try await forged("1"))
        let (_, push) = try await rotatedLogin()
        #expect(await harness.phone.refusal(of: push)?.code == .invalidSignature)
        harness.phone.pass(3)
        #expect(try await harness.phone.handle(push) != nil)
    }

    @Test func `a cancel that a rotated key signed is taken, too`() async throws {
        let pid = try await harness.begin()
        _ = await phone.refusal(of: try await forged("1"))
        let old = await manager.signer
        await manager.rotate(announced: true)
        let cancel = try await manager.cancel(pid, to: WorkedExample.activation, reason: "aborted")
            .data(manager.signer)
        await manager.sign(with: old)
        guard case .cancel = try await phone.handle(cancel) else {
            Issue.record("It is a cancel.")
            return
        }
        #expect(try await phone.state(pid) != .open)
    }
}
