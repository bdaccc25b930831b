import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What each side takes from the other: `docs/vendors/xignin-oxrw.md#4-requests-and-responses`.
@Suite struct ChannelTests: ProcessSuite {
    typealias Call = Manager.Call

    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess() }

    // MARK: Requests

    @Test func `every request is signed, bound and fresh`() async throws {
        #expect(try await phone.approve(pid) == .delivered)
        _ = try await phone.authenticator.deviceTokenChanged(.fcm("second"))
        _ = try await phone.authenticator.remove(phone.enrollmentID())
        let requests = await manager.requests
        #expect(await manager.complaints.isEmpty)
        #expect(
            requests.map(\.call) == [
                .personalization, .initialization, .start, .finish, .token, .removal,
            ])
        #expect(Set(requests.compactMap(\.jti)).count == requests.count)
        for request in requests.dropFirst() {
            #expect(request.claims["iss"] == .string(WorkedExample.activation))
            #expect(request.claims["aud"] == .string(WorkedExample.idm))
            #expect(request.header["alg"] == "ES256")
            let end = try #require(request.claims["exp"]?.integer)
            #expect(end - (request.claims["iat"]?.integer ?? 0) <= 60)
        }
    }

    @Test func `the requests go to the pinned host over TLS, and nowhere else`() async throws {
        #expect(try await phone.approve(pid) == .delivered)
        for exchange in await phone.transport.exchanges {
            #expect(exchange.request.scheme == "https")
            #expect(exchange.request.authority == WorkedExample.manager)
        }
    }

    // MARK: Answers that don't verify

    @Test(arguments: [Call.initialization, .start], Manager.Spoil.allCases)
    func `opening takes no answer but the manager's own`(call: Call, spoil: Manager.Spoil)
        async throws
    {
        await manager.next(call, .spoiled(spoil))
        await #expect(throws: PushError.self) { try await make(call, phone) }
        #expect(try await phone.state(pid) == .open)
        // The next try, with a new jti, is answered as usual.
        #expect(try await phone.approve(pid) == .delivered)
        #expect(await manager.complaints.isEmpty)
    }

    @Test(arguments: [Call.finish, .reject], Manager.Spoil.allCases)
    func `a decision takes no answer but the manager's own`(call: Call, spoil: Manager.Spoil)
        async throws
    {
        await manager.next(call, .spoiled(spoil))
        _ = try? await make(call, phone)
        guard case .decided = try await phone.state(pid) else {
            Issue.record("After \(spoil) it is \(String(describing: try await phone.state(pid))).")
            return
        }
        // The manager had judged it: the repeat gets the recorded word.
        let outcomes = try await phone.authenticator.resume()
        #expect(outcomes[phone.id(pid)] == .delivered)
        #expect(await manager.decisions(pid).count == 1)
        #expect(await manager.complaints.isEmpty)
    }

    @Test(
        arguments: [
            (409, "process_finished"), (410, "process_expired"), (404, "process_unknown"),
            (403, "activation_locked"), (404, "activation_unknown"),
            (426, "api_version_unsupported"),
        ], [Manager.Spoil.altered, .unsigned, .otherRequest, .otherKey, .otherStatusClaim])
    func `a stranger invents no end, no lockout and no opt-out`(
        answer: (status: Int, name: String), spoil: Manager.Spoil
    ) async throws {
        let refusal = Manager.Refusal(answer.status, answer.name)
        for call in [Call.initialization, .start] {
            await manager.next(call, .refusedAndSpoiled(refusal, spoil))
            await #expect(throws: PushError.self) { try await make(call, phone) }
            #expect(try await phone.state(pid) == .open)
        }
        let enrollment = try await phone.authenticator.enrollment(phone.enrollmentID())
        #expect(enrollment?.state == .active)
        await manager.next(.finish, .refusedAndSpoiled(refusal, spoil))
        _ = try? await make(.finish, phone)
        guard case .decided = try await phone.state(pid) else {
            Issue.record("A stranger's word on an answer counts for nothing.")
            return
        }
        #expect(try await phone.authenticator.enrollment(phone.enrollmentID())?.state == .active)
    }

    @Test(arguments: [429, 500, 502, 503])
    func `a gateway's trouble changes nothing`(status: Int) async throws {
        for call in [Call.initialization, .start] {
            await manager.next(call, .busy(status))
            await #expect(throws: PushError.self) { try await make(call, phone) }
            #expect(try await phone.state(pid) == .open)
        }
        await manager.next(.finish, .busy(status))
        guard case .unknown = try await phone.approve(pid) else {
            Issue.record("Nobody knows.")
            return
        }
        guard case .decided = try await phone.state(pid) else {
            Issue.record("The decision stands.")
            return
        }
    }

    @Test func `an answer that was recorded earlier doesn't count again`() async throws {
        _ = try await phone.authenticator.challenge(phone.id(pid))
        let old = try #require(await phone.transport.exchanges.last)
        let transport = SimulatedTransport { _, _ in (old.response, old.responseBody) }
        let authenticator = try App(
            over: transport, store: phone.store, user: phone.keypad, clock: phone.clock
        ).authenticator
        await #expect(throws: PushError.self) {
            _ = try await authenticator.challenge(phone.id(pid))
        }
        #expect(try await phone.state(pid) == .open)
    }

    @Test func `a redirect isn't followed`() async throws {
        let fields: HTTPFields = [.location: "https://evil.example/"]
        await phone.faults.next(.reply(HTTPResponse(status: .found, headerFields: fields)))
        await #expect(throws: PushError.self) { try await make(.start, phone) }
        #expect(try await phone.state(pid) == .open)
        #expect(
            await phone.transport.exchanges.allSatisfy {
                $0.request.authority == WorkedExample.manager
            })
    }

    @Test func `an answer whose own end has passed is taken: the request's name proves it fresh`()
        async throws
    {
        phone.clock.set(Date(WorkedExample.now + 86_400))
        _ = try await phone.authenticator.challenge(phone.id(pid))
    }

    // MARK: The manager's keys

    @Test func `an unknown key's name makes the phone ask for the keys, and not for each push`()
        async throws
    {
        await manager.rotate(announced: true)
        let next = await manager.begin()
        let push = try #require(await manager.take().last)
        await manager.sign(with: manager.key)
        let first = await phone.refusal(of: push)
        #expect(first == nil || first?.code == .invalidSignature)
        #expect(await manager.requests(.keys).count == 1)
        _ = try? await phone.handle(push)
        #expect(try await phone.state(next) == .open)
        let unknown = await manager.push("prc-unknown", to: WorkedExample.activation)
            .with(header: "kid", .string(SigningKey().publicKey.thumbprint))
        for _ in 0..<5 {
            #expect(
                await phone.refusal(of: try unknown.data(SigningKey()))?.code == .invalidSignature)
        }
        #expect(await manager.requests(.keys).count == 1)
        phone.pass(3601)
        _ = await phone.refusal(of: try unknown.data(SigningKey()))
        #expect(await manager.requests(.keys).count == 2)
    }

    @Test func `new keys must be signed by a pinned one, and contain it`() async throws {
        let rogue = SigningKey()
        let push = await manager.push("prc-of-a-rogue", to: WorkedExample.activation)
            .with(header: "kid", .string(rogue.publicKey.thumbprint))
        let set: JSON = ["keys": [.object(rogue.publicKey.jwk)]]
        await manager.next(.keys, .changed { $0["manager_keys"] = set })
        #expect(await phone.refusal(of: try push.data(rogue))?.code == .invalidSignature)
        phone.pass(3601)
        await manager.publish([manager.key, rogue])
        await manager.sign(with: rogue)
        #expect(await phone.refusal(of: try push.data(rogue))?.code == .invalidSignature)
        await manager.sign(with: manager.key)
        let genuine = await manager.push("prc-later", to: WorkedExample.activation)
        #expect(try await phone.handle(genuine.data(manager.key)) != nil)
    }

    @Test func `keys that were told to an earlier activation aren't a new one's`() async throws {
        let fresh = SigningKey()
        await manager.publish([manager.key, fresh])
        let push = await manager.push("prc-early", to: WorkedExample.activation)
            .with(header: "kid", .string(fresh.publicKey.thumbprint))
        // While the keys are on their way, another process of the app makes the activation again.
        let (again, manager) = (try phone.restarted(), manager)
        await manager.after(.keys) {
            await manager.publish([manager.key])
            try? await again.authenticator.remove(again.enrollmentID())
            _ = try? await again.enroll(await manager.link())
        }
        #expect(await phone.refusal(of: try push.data(fresh)) != nil)
        let activation = try #require(await manager.activations.keys.first)
        #expect(activation != WorkedExample.activation)
        let late = await manager.push("prc-late", to: activation)
            .with(header: "kid", .string(fresh.publicKey.thumbprint))
        #expect(await phone.refusal(of: try late.data(fresh))?.code == .invalidSignature)
        let genuine = await manager.push("prc-genuine", to: activation)
        #expect(try await phone.handle(genuine.data(manager.key)) != nil)
    }

    @Test func `a key that the manager took out isn't believed any more`() async throws {
        let old = manager.key
        await manager.rotate(announced: true)
        let fresh = await manager.signer
        let push = await manager.push("prc-1", to: WorkedExample.activation)
        await manager.sign(with: old)
        _ = try? await phone.handle(push.data(fresh))
        #expect(try await phone.handle(push.data(fresh)) != nil)
        phone.pass(3601)
        await manager.publish([fresh])
        await manager.sign(with: fresh)
        let unknown = push.with(header: "kid", "nobody")
        _ = await phone.refusal(of: try unknown.data(SigningKey()))
        let stale = push.with("pid", "prc-2").with(header: "kid", .string(old.publicKey.thumbprint))
        #expect(await phone.refusal(of: try stale.data(old))?.code == .invalidSignature)
    }
}
