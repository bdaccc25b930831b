import Foundation
import PushCore
import PushTesting
import Testing

struct AcceptedMessageTests {
    @Test func `a message is on record when it is accepted, and nobody was asked`() async throws {
        let world = World()
        let authenticator = try await world.enrolled()
        let requests = await world.server.requests
        let accepted = try await authenticator.accept(try AcmeWire.ask("1"))
        #expect(!accepted.isQuestion)
        #expect(accepted.receptions.map(\.challenge) == [.ada("1")])
        #expect(accepted.receptions.map(\.isNew) == [true])
        #expect(try await accepted.answer() == accepted.receptions)
        #expect(await world.server.requests == requests)
        // A device that starts now finds it.
        #expect(try await world.authenticator().record(of: .ada("1"))?.state == .open)
    }

    @Test func `a message that can't be put on record isn't accepted`() async throws {
        let world = World()
        let authenticator = try await world.enrolled()
        let full = PushError(.storage, "The disk is full.")
        await world.store.refuseWrites { _ in full }
        #expect(await code { try await authenticator.accept(try AcmeWire.ask("1")) } == .storage)
        await world.store.refuseWrites(nil)
        #expect(try await authenticator.record(of: .ada("1")) == nil)
        let accepted = try await authenticator.accept(try AcmeWire.ask("1"))
        #expect(accepted.receptions.map(\.isNew) == [true])
    }

    @Test func `what isn't trusted isn't accepted, and another app's message is nobody's`()
        async throws
    {
        let world = World()
        let authenticator = try await world.enrolled(["ada"])
        let stranger = try AcmeWire.ask("1", to: "bob")
        #expect(await code { try await authenticator.accept(stranger) } != nil)
        #expect(world.observer.observations.count == 1)
        let foreign = try await authenticator.accept(PushMessage(fcm: ["hello": "world"]))
        #expect(foreign.receptions.isEmpty && !foreign.isQuestion)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a message that proves nothing is accepted while its vendor is asked`() async throws {
        let world = World()
        let authenticator = try await world.enrolled()
        await world.server.offer(AcmeWire.claims("1"), to: "ada")
        let gate = Gate()
        await world.server.hold("/pending", at: gate)
        let accepted = try await authenticator.accept(try AcmeWire.hint("challenges"))
        #expect(accepted.isQuestion && accepted.receptions.isEmpty)
        // Without anybody waiting for the answer.
        await gate.arrival()
        #expect(try await authenticator.record(of: .ada("1")) == nil)
        await gate.open()
        #expect(try await accepted.answer().map(\.challenge) == [.ada("1")])
        #expect(try await accepted.answer().map(\.isNew) == [true])
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `whoever waits for the answer hears that the vendor couldn't be asked`()
        async throws
    {
        let world = World()
        let authenticator = try await world.enrolled()
        await world.faults.next(.refuse)
        let accepted = try await authenticator.accept(try AcmeWire.hint("challenges"))
        #expect(await code { try await accepted.answer() } == .unreachable)
        #expect(world.observer.observations.map(\.kind) == [.refused(.unreachable)])
    }
}
