import Foundation
import HTTPTypes
import PushAcme
import PushAcmeSimulator
import PushCore
import PushTesting
import Testing

@Suite struct `Acme's flows` {
    // MARK: Enrolling

    @Test func `a code shows what it would join, and nothing is sent`() async throws {
        let world = try AcmeHarness()
        let offers = try world.authenticator.offers(
            for: await world.simulator.invitation(for: "jane"))
        #expect(offers.map(\.account) == ["jane"])
        #expect(offers.map(\.host) == ["acme.example"])
        #expect(await world.transport.exchanges.isEmpty)
    }

    @Test func `another's code is left alone`() throws {
        let authenticator = try AcmeHarness().authenticator
        #expect(try authenticator.offers(for: .scanned(text: "otpauth://totp/jane")).isEmpty)
        #expect(try authenticator.offers(for: .typed(text: "acme:{}")).isEmpty)
    }

    @Test(arguments: [
        "", "{", "{}", #"{"url":"https://acme.example/","device":"1","account":"jane"}"#,
        #"{"url":"https://acme.example/","device":"1","account":"jane","key":"AAAA"}"#,
        #"{"url":"acme.example","device":"1","account":"jane","key":"\#(key)"}"#,
    ])
    func `a code that lacks something is refused`(text: String) throws {
        let authenticator = try AcmeHarness().authenticator
        let error = #expect(throws: PushError.self) {
            try authenticator.offers(for: .scanned(text: "acme:" + text))
        }
        #expect(error?.code == .invalidInvitation)
    }

    private static let key = Data(repeating: 1, count: 32).base64EncodedString()

    @Test func `an enrollment whose reply is lost is confirmed by its first push`() async throws {
        let world = try AcmeHarness()
        await world.faults.next(.dropAfter)
        let enrollment = try await world.enroll()
        #expect(enrollment.state == .pending(.unconfirmed))
        _ = try await world.open()
        #expect(try await world.authenticator.enrollment(enrollment.id)?.state == .active)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .status(403), .status(503)])
    func `an enrollment that fails leaves nothing`(fault: FaultPlan.Fault) async throws {
        let world = try AcmeHarness()
        await world.faults.next(fault)
        await #expect(throws: PushError.self) { _ = try await world.enroll() }
        #expect(try await world.authenticator.enrollments().isEmpty)
    }

    @Test func `without a device token nothing is enrolled`() async throws {
        let world = try AcmeHarness()
        let invitation = await world.simulator.invitation(for: "jane")
        let error = await #expect(throws: PushError.self) {
            _ = try await AcmeHarness.enroll(world.authenticator, by: invitation)
        }
        #expect(error?.code == .missingDeviceToken)
        #expect(await world.transport.exchanges.isEmpty)
    }

    @Test func `a new device token reaches Acme, one of another service doesn't`() async throws {
        let (world, enrollment) = try await AcmeHarness.enrolled()
        #expect(try await world.authenticator.deviceTokenChanged(.fcm("new")).isEmpty)
        _ = try await world.simulator.startLogin(of: "jane", asking: .confirm)
        #expect(await world.simulator.takePushes().map(\.deviceToken) == [.fcm("new")])
        let apple = DeviceToken.apns(hex: String(repeating: "0a", count: 32), isSandbox: true)
        let before = await world.transport.exchanges.count
        #expect(try await world.authenticator.deviceTokenChanged(apple).isEmpty)
        #expect(await world.transport.exchanges.count == before)
        let error = await #expect(throws: PushError.self) {
            try await world.authenticator.deviceTokenChanged(apple, for: enrollment.id)
        }
        #expect(error?.code == .invalidArgument)
        #expect(
            try await world.authenticator.enrollment(enrollment.id)?.deviceToken == .fcm("new"))
    }

    @Test func `what was removed takes no push`() async throws {
        let (world, enrollment) = try await AcmeHarness.enrolled()
        #expect(try await world.authenticator.refresh(enrollment.id) == enrollment)
        try await world.authenticator.remove(enrollment.id)
        let error = await #expect(throws: PushError.self) { _ = try await world.open() }
        #expect(error?.code == .unknownEnrollment)
    }

    // MARK: Answering

    @Test(arguments: [
        (Resolution.approve, SimulatedLogin.Status.approved),
        (.deny(.unexpected), .denied),
    ])
    func `an answer arrives as it was given`(
        resolution: Resolution, status: SimulatedLogin.Status
    ) async throws {
        let (world, _) = try await AcmeHarness.enrolled()
        let challenge = try await world.open()
        #expect(challenge.prompt == .approve)
        #expect(try await world.authenticator.resolve(challenge, with: resolution) == .delivered)
        #expect(try await world.simulator.status(of: challenge.id.name) == status)
    }

    @Test func `a lost reply is unknown, and the same bytes make it known`() async throws {
        let (world, _) = try await AcmeHarness.enrolled()
        let challenge = try await world.open()
        await world.faults.next(.dropAfter)
        guard case .unknown = try await world.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("Nobody knows.")
            return
        }
        #expect(try await world.authenticator.resume() == [challenge.id: .delivered])
        let bodies = await world.transport.exchanges.map(\.body).suffix(2)
        #expect(Set(bodies).count == 1)
    }

    @Test(arguments: [(409, Outcome.answeredElsewhere), (410, .expired)])
    func `Acme's word is told as it is`(status: Int, outcome: Outcome) async throws {
        let (world, _) = try await AcmeHarness.enrolled()
        let challenge = try await world.open()
        await world.faults.next(.status(status))
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == outcome)
    }

    @Test func `a status that says nothing of the answer leaves the decision on record`()
        async throws
    {
        let (world, _) = try await AcmeHarness.enrolled()
        let challenge = try await world.open()
        await world.faults.next(.status(404))
        let error = await #expect(throws: PushError.self) {
            _ = try await world.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error?.code == .server(status: 404))
        #expect(
            try await world.authenticator.record(of: challenge.id)?.state == .decided(.approve))
        #expect(try await world.authenticator.resume() == [challenge.id: .delivered])
    }

    @Test func `the first device's answer stands, and the other hears of it`() async throws {
        let (world, enrollment) = try await AcmeHarness.enrolled()
        let environment = AcmeHarness.environment(over: world.transport, world.clock)
        let other = PushAuthenticator(
            try PluginRegistry([Acme(in: environment)]), in: environment)
        try await other.deviceTokenChanged(.fcm("tablet"))
        let second = try await AcmeHarness.enroll(
            other, by: await world.simulator.invitation(for: "jane"))
        let login = try await world.simulator.startLogin(of: "jane", asking: .confirm)
        for push in await world.simulator.takePushes() {
            let device = push.deviceToken == .fcm("phone") ? world.authenticator : other
            _ = try await device.receive(push.message())
        }
        let challenge = Challenge.ID(login.id, of: enrollment.id)
        let late = try await world.authenticator.challenge(challenge)
        #expect(try await other.deny(Challenge.ID(login.id, of: second.id)) == .delivered)
        #expect(
            try await world.authenticator.resolve(late, with: .approve) == .answeredElsewhere)
        #expect(try await world.simulator.status(of: login.id) == .denied)
        let pushes = await world.simulator.takePushes()
        #expect(pushes.map(\.deviceToken) == [.fcm("phone")])
        let push = try #require(pushes.first).message()
        let event = try await world.event(from: push)
        guard case .withdrawal(let withdrawal) = event else {
            Issue.record("Acme says that it's over.")
            return
        }
        #expect(withdrawal == Withdrawal(challenge, .elsewhere))
    }

    @Test func `a prompt that isn't known can be denied, never approved`() async throws {
        let (world, enrollment) = try await AcmeHarness.enrolled()
        let message = try await world.changed("prompt", to: "retina", for: enrollment)
        let id = try #require(await world.authenticator.receive(message).first?.challenge)
        let challenge = try await world.authenticator.challenge(id)
        await #expect(throws: PushError.self) {
            _ = try await world.authenticator.resolve(challenge, with: .approve)
        }
        #expect(try await world.simulator.status(of: id.name) == .waiting)
        #expect(try await world.authenticator.deny(id) == .delivered)
        #expect(try await world.simulator.status(of: id.name) == .denied)
    }

    @Test func `a genuine push of a kind that isn't known is called incompatible`() async throws {
        let (world, enrollment) = try await AcmeHarness.enrolled()
        let message = try await world.changed("kind", to: "payment", for: enrollment)
        let receptions = try await world.authenticator.receive(message)
        guard case .incompatible(let incompatible)? = receptions.first?.kind else {
            Issue.record("It's newer than the plugin.")
            return
        }
        #expect(incompatible.kind == "payment")
    }

    // MARK: The simulator

    @Test func `Acme takes nothing that isn't signed by its device`() async throws {
        let (world, _) = try await AcmeHarness.enrolled()
        let challenge = try await world.open()
        _ = try await world.authenticator.resolve(challenge, with: .approve)
        let exchange = try #require(await world.transport.exchanges.last)
        let body = try #require(try JSON(parsing: exchange.body).object)
        func status(_ change: (inout HTTPRequest, inout JSON.Object) -> Void) async -> Int {
            var (request, body) = (exchange.request, body)
            change(&request, &body)
            return await world.simulator.respond(to: request, body: JSON.object(body).data)
                .response.status.code
        }
        #expect(await status { _, _ in } == 200)
        #expect(await status { _, body in body["acme"] = "{}" } == 403)
        #expect(await status { _, body in body["mac"] = "AAAA" } == 403)
        #expect(await status { _, body in body["acme"] = nil } == 400)
        #expect(await status { request, _ in request.path = "/devices/nobody" } == 404)
        #expect(await status { request, _ in request.method = .get } == 404)
    }

    @Test func `Acme takes no answer that comes too late`() async throws {
        let (world, _) = try await AcmeHarness.enrolled()
        let challenge = try await world.open()
        await world.faults.next(.dropBefore)
        _ = try await world.authenticator.resolve(challenge, with: .approve)
        world.clock.advance(by: .seconds(Double(AcmeSimulator.timeLimit + 5)))
        #expect(try await world.simulator.status(of: challenge.id.name) == .expired)
        try await world.authenticator.resume()
        #expect(try await world.simulator.status(of: challenge.id.name) == .expired)
    }
}
