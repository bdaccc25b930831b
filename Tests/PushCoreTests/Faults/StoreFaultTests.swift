import Foundation
import HTTPTypes
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// The store is full, read-only, torn, corrupt, or of a newer version.
struct StoreFaultTests {
    private static let full = PushError(.storage, "No space left.")

    // MARK: Full or read-only

    @Test func `with a full store a push is refused and new once there is room`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.store.refuseWrites { _ in Self.full }
        #expect(await code { try await authenticator.receive(try AcmeWire.ask("1")) } == .storage)
        #expect(try await authenticator.records().isEmpty)
        await harness.store.refuseWrites(nil)
        #expect(try await authenticator.receive(try AcmeWire.ask("1")).map(\.isNew) == [true])
    }

    @Test func `with a full store nothing is decided or sent, and any answer is free afterwards`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await harness.store.refuseWrites { _ in Self.full }
        #expect(
            await code { try await authenticator.resolve(challenge, with: .approve) } == .storage)
        #expect(await code { try await authenticator.deny(.ada("1")) } == .storage)
        #expect(await harness.server.answers.isEmpty)
        await harness.store.refuseWrites(nil)
        #expect(try await authenticator.deny(.ada("1"), .fraud) == .delivered)
        #expect(await harness.server.choices() == ["deny:fraud"])
    }

    @Test func `where counter and decision can't be written neither is taken, and nothing is sent`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"], .init(counts: true))
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.store.refuseWrites { $0.collection == "enrollment" ? Self.full : nil }
        #expect(await code { try await authenticator.deny(.ada("1")) } == .storage)
        #expect(await harness.server.answers.isEmpty)
        await harness.store.refuseWrites(nil)
        #expect(try await authenticator.deny(.ada("1"), .fraud) == .delivered)
        #expect(await harness.server.answers.map { $0["counter"]?.integer } == [1])
    }

    @Test func `with a full store an enrollment that is written first sends nothing`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try harness.authenticator(.init(isTwoPhase: true))
        await harness.store.refuseWrites { _ in Self.full }
        #expect(await code { try await authenticator.join("ada") } == .storage)
        #expect(await harness.server.enrolled.isEmpty)
        await harness.store.refuseWrites(nil)
        #expect(try await authenticator.join("ada").state == .active)
    }

    @Test func `with a full store a device token is refused, and told to nobody`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        await harness.store.refuseWrites { _ in Self.full }
        #expect(
            await code { try await authenticator.deviceTokenChanged(.fcm("t")) } == .storage)
        #expect(await harness.server.tokenLog.isEmpty)
    }

    @Test func `a store that turns read-only after the decision makes no second one`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await life.authenticator.deny(.ada("1"))
        await harness.store.refuseWrites { _ in Self.full }
        _ = try? await life.authenticator.resume()
        #expect(await code { try await life.authenticator.deny(.ada("1"), .fraud) } != nil)
        await harness.store.refuseWrites(nil)
        await life.kill()
        let second = try harness.life().authenticator
        _ = try await second.resume()
        #expect(Set(await harness.server.choices()) == ["deny:unexpected"])
        #expect(
            try await second.record(of: .ada("1"))?.state
                == .answered(.deny(.unexpected), .delivered))
    }

    @Test func `what is on a read-only store can still be read`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await harness.store.refuseWrites { _ in Self.full }
        #expect(try await authenticator.enrollments().map(\.id) == [.ada])
        #expect(try await authenticator.records().map(\.id) == [.ada("1")])
        #expect(try await authenticator.challenge(.ada("1")).prompt == .approve)
    }

    // MARK: Torn or corrupt

    @Test func `a record torn anywhere is malformed, and its challenges get no second decision`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.resolve(challenge, with: .approve)
        let whole = try await harness.store.document(.ada).bytes
        for length in whole.indices {
            try await harness.store.rewrite("enrollment") { _ in Array(whole.prefix(length)) }
            let reborn = try harness.authenticator()
            #expect(await code { try await reborn.deny(.ada("1")) } == .malformed)
            #expect(await code { try await reborn.receive(try AcmeWire.ask("1")) } == .malformed)
            #expect(try await reborn.resume().isEmpty)
            #expect(try await reborn.records().isEmpty)
            #expect(try await reborn.enrollments().isEmpty)
        }
        #expect(await harness.server.choices() == ["approve"])
        try await harness.store.rewrite("enrollment") { _ in whole }
        #expect(
            try await harness.authenticator().record(of: .ada("1"))?.state == .decided(.approve))
    }

    @Test func `a record with any bit flipped traps nothing`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let whole = try await harness.store.document(.ada).bytes
        for position in whole.indices {
            for bit in [0, 3, 7] {
                try await harness.store.rewrite("enrollment") { _ in
                    var changed = whole
                    changed[position] ^= 1 << UInt8(bit)
                    return changed
                }
                let reborn = try harness.authenticator()
                _ = await code { try await reborn.challenge(.ada("1")) }
                _ = try await reborn.records()
                _ = try await reborn.resume()
            }
        }
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `a row of another form is refused by a code of its own, hides no other, and stays`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("old"))
        try await harness.store.edit(.ada) { try $0.with($0.rows.slots.map(\.asOfNewerVersion)) }
        let before = try await harness.store.document(.ada).bytes
        let reborn = try harness.authenticator()
        #expect(await code { try await reborn.challenge(.ada("old")) } == .unsupportedRecord)
        #expect(await code { try await reborn.deny(.ada("old")) } == .unsupportedRecord)
        #expect(
            await code { try await reborn.receive(try AcmeWire.ask("old")) } == .unsupportedRecord)
        #expect(try await harness.store.document(.ada).bytes == before)
        let row = try #require(try await harness.store.document(.ada).rows.slots.first)
        _ = try await reborn.receive(try AcmeWire.ask("new"))
        #expect(try await reborn.records().map(\.id.name) == ["new"])
        try await reborn.resume()
        let after = try await harness.store.document(.ada).rows.slots
        #expect(after.count == 2)
        #expect(after.first { $0.name == row.name }?.bytes == row.bytes)
        #expect(harness.observer.observations.contains { $0.kind == .refused(.unsupportedRecord) })
        #expect(harness.observer.observations.contains { $0.kind == .damaged(.challenge) })
    }

    @Test func `what the store calls damaged gets no second decision, and stops no other`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.resolve(challenge, with: .approve)
        try await harness.store.damageFirst(of: "enrollment")
        let reborn = try harness.authenticator()
        #expect(await code { try await reborn.deny(.ada("1")) } == .malformed)
        #expect(await code { try await reborn.receive(try AcmeWire.ask("1")) } == .malformed)
        let other = Challenge.ID("2", of: .bob)
        _ = try await reborn.receive(try AcmeWire.ask("2", to: "bob"))
        #expect(try await reborn.deny(other) == .delivered)
        #expect(try await reborn.records().map(\.id) == [other])
        #expect(try await reborn.resume().isEmpty)
        #expect(await harness.server.choices() == ["approve"])
        #expect(harness.observer.observations.contains { $0.kind == .damaged(.credential) })
    }

    @Test func `an enrollment that is damaged is named, sends nothing, and can be removed`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        try await harness.store.damageFirst(of: "enrollment")
        let reborn = try harness.authenticator()
        #expect(try await reborn.enrollments().map(\.id) == [.bob])
        #expect(
            harness.observer.observations.contains {
                $0.kind == .damaged(.credential) && $0.enrollment == .ada
            })
        #expect(Set(try await reborn.enrollmentIDs()) == [.ada, .bob])
        #expect(await code { try await reborn.enrollment(.ada) } == .malformed)
        #expect(await code { try await reborn.receive(try AcmeWire.ask("1")) } == .malformed)
        #expect(await code { try await authenticator.join("ada") } == .malformed)
        _ = try await reborn.receive(try AcmeWire.ask("1", to: "bob"))
        #expect(try await reborn.deny(Challenge.ID("1", of: .bob)) == .delivered)
        try await reborn.remove(.ada)
        #expect(try await reborn.join("ada").state == .active)
    }

    @Test func `a device token that is damaged is told again, and stops nothing else`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        try await harness.store.damageFirst(of: "device")
        let reborn = try harness.authenticator()
        #expect(try await reborn.enrollments().map(\.id) == [.ada])
        _ = try await reborn.receive(try AcmeWire.ask("1"))
        #expect(try await reborn.deny(.ada("1")) == .delivered)
        #expect(await code { try await reborn.deviceTokenChanged(.fcm("t2")) } == nil)
        #expect(await harness.server.tokens == ["ada": "t2"])
        #expect(try await reborn.deviceTokenStates() == [.ada: .current])
        #expect(harness.observer.observations.contains { $0.kind == .damaged(.deviceToken) })
    }

    // MARK: Newer

    @Test func `an enrollment of a newer layout is refused and left as it is`() async throws {
        let harness = AuthenticatorHarness()
        _ = try await harness.enrolled().receive(try AcmeWire.ask("1"))
        // The third byte is the layout's version.
        try await harness.store.rewrite("enrollment") { $0.prefix(2) + [3] + $0.dropFirst(3) }
        try await expectRefusal(.unsupportedRecord, harness)
    }

    @Test func `a credential of a newer layout is refused and left as it is`() async throws {
        let harness = AuthenticatorHarness()
        _ = try await harness.enrolled().receive(try AcmeWire.ask("1"))
        try await harness.store.edit(.ada) { document in
            let bytes = document.credential.withBytes { Array($0) }
            var changed = document
            try changed.replace(Secret(bytes.prefix(2) + [2] + bytes.dropFirst(3)))
            return changed
        }
        try await expectRefusal(.malformed, harness)
    }

    private func expectRefusal(
        _ refusal: PushError.Code, _ harness: AuthenticatorHarness,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await harness.rawStore()
        let reborn = try harness.authenticator()
        #expect(
            await code { try await reborn.deny(.ada("1")) } == refusal,
            sourceLocation: sourceLocation)
        #expect(
            await code { try await reborn.receive(try AcmeWire.ask("1")) } == refusal,
            sourceLocation: sourceLocation)
        #expect(await code { try await reborn.resume() } == nil, sourceLocation: sourceLocation)
        #expect(await code { try await reborn.records() } == nil, sourceLocation: sourceLocation)
        #expect(
            await code { try await reborn.enrollments() } == nil, sourceLocation: sourceLocation)
        #expect(try await harness.rawStore() == before, sourceLocation: sourceLocation)
        #expect(await harness.server.answers.isEmpty, sourceLocation: sourceLocation)
    }
}
