import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What the manager says to a binding, and what survives a lost reply:
/// `docs/vendors/xignin-oxrw.md#2-binding-a-device`.
@Suite struct PersonalizationAnswerTests: JoiningSuite {
    let joining: Joining

    init() throws { joining = try Joining() }

    // MARK: The answer

    @Test(arguments: Manager.Spoil.allCases)
    func `an answer that isn't the manager's is refused`(spoil: Manager.Spoil) async throws {
        await manager.next(.personalization, .spoiled(spoil))
        _ = try? await phone.enroll(await link())
        let enrollment = try await phone.authenticator.enrollment(phone.enrollmentID())
        #expect(enrollment?.state != .active)
    }

    @Test func `another manager's answer is refused`() async throws {
        let impostor = Manager(key: SigningKey(), time: manager.time)
        let phone = try Phone([impostor])
        var members = await impostor.linkMembers(secret: secret)
        members["mk"] = .string(base64url(manager.key.publicKey.x963Representation))
        _ = try? await phone.enroll(Manager.link(members))
        #expect(try await phone.authenticator.enrollment(phone.enrollmentID())?.state != .active)
        #expect(await impostor.requests.count >= 1)
    }

    @Test func `published keys without the link's key are refused`() async throws {
        await manager.publish([SigningKey()])
        _ = try? await phone.enroll(await link())
        #expect(try await phone.authenticator.enrollment(phone.enrollmentID())?.state != .active)
    }

    @Test func `a version outside the range is refused`() async throws {
        for version in ["2.0.0", "1.0.1", "0.9.0", "x", ""] {
            await manager.next(.personalization, .changed { $0["api"] = .string(version) })
            let phone = try Phone([manager])
            _ = try? await phone.enroll(await manager.link())
            let enrollment = try await phone.authenticator.enrollment(phone.enrollmentID())
            #expect(enrollment?.state != .active, "\(version)")
        }
    }

    @Test(arguments: [
        (404, "activation_unknown"), (410, "activation_expired"), (409, "activation_used"),
    ])
    func `a refused activation leaves nothing behind`(status: Int, name: String) async throws {
        await manager.next(.personalization, .refused(.init(status, name)))
        await #expect(throws: PushError.self) { try await phone.enroll(await link()) }
        #expect(try await phone.authenticator.enrollments().isEmpty)
        // The same name can be joined with a fresh link.
        #expect(try await phone.enroll(await manager.link()).state == .active)
    }

    // MARK: Pending before sending

    @Test func `the record is there before the first byte leaves`() async throws {
        let store = phone.store
        await phone.faults.next(.dropBefore)
        _ = try? await phone.enroll(await link())
        let enrollment = try #require(await phone.authenticator.enrollment(phone.enrollmentID()))
        #expect(enrollment.state == .pending(.unconfirmed))
        #expect(await store.count > 0)
        #expect(await manager.requests.isEmpty)
    }

    @Test func `where nothing can be written nothing is sent`() async throws {
        let store = InMemoryStore()
        await store.refuseWrites { _ in PushError(.storage, "It is full.") }
        let app = try App(over: phone.transport, store: store, clock: phone.clock)
        let text = await link()
        await #expect(throws: PushError.self) { try await app.enroll(.scanned(text: text)) }
        #expect(await manager.requests.isEmpty)
    }

    @Test func `after a lost reply the device asks again with the same key and a new jti`()
        async throws
    {
        await phone.faults.next(.dropAfter)
        let text = await link()
        #expect(try await phone.enroll(text).state == .pending(.unconfirmed))
        let again = try phone.restarted()
        #expect(try await again.authenticator.refresh(again.enrollmentID()).state == .active)
        let requests = await manager.requests
        #expect(requests.count == 2)
        #expect(requests[0].claims["iss"] == requests[1].claims["iss"])
        #expect(requests[0].jti != requests[1].jti)
        #expect(await manager.activations.count == 1)
        #expect(await manager.complaints.isEmpty)
        // It is whole: a push comes, and an answer goes.
        let pid = await manager.begin()
        try await again.deliver()
        #expect(try await again.approve(pid) == .delivered)
    }

    @Test func `a push that its key verifies doesn't leave half an enrollment unusable`()
        async throws
    {
        await phone.faults.next(.dropAfter)
        let text = await link()
        _ = try? await phone.enroll(text)
        let pid = await manager.begin()
        let data = try #require(await manager.take().first)
        // Whatever it makes of the push, the record can still be completed.
        _ = try? await phone.receive(data)
        let again = try phone.restarted()
        _ = try await again.authenticator.refresh(again.enrollmentID())
        #expect(try await again.authenticator.enrollment(again.enrollmentID())?.state == .active)
        _ = try await again.receive(data)
        #expect(try await again.approve(pid) == .delivered)
    }
}
