import IndependentEncodings
import PushCore
import PushPlusAuth
import PushPlusAuthSimulator
import PushTesting
import Testing

/// The provider against the simulated tenant, which was written apart from it and shares no code
/// with it but `PushJOSE`.
@Suite struct SimulatorTests {
    @Test(arguments: PlusAuth.KeyAlgorithm.allCases)
    func `a login is approved, denied, or its number picked`(
        algorithm: PlusAuth.KeyAlgorithm
    ) async throws {
        let lab = Lab { $0.requiresFreshAnswer = true }
        let app = try lab.app(.ec { $0.keyAlgorithm = algorithm }).authenticator
        try await lab.enroll(app)
        for (kind, resolution, status) in [
            (.confirm, .approve, .approved), (.confirm, .deny(.fraud), .denied),
            (.number, nil, .approved), (.number, .deny(.ignore), .denied),
        ] as [(SimulatedLogin.Kind, Resolution?, SimulatedLogin.Status)] {
            let login = try await lab.tenant.startLogin(of: "ada", asking: kind)
            let challenge = try #require(
                await lab.challenges(at: app, pushes: lab.tenant.takePushes()).first)
            let answer = resolution ?? .choose(login.shown ?? "")
            #expect(try await app.resolve(challenge, with: answer) == .delivered)
            #expect(try await lab.tenant.status(of: login.id) == status)
        }
    }

    @Test func `a one-time code counts instead`() async throws {
        let lab = Lab()
        let app = try lab.app().authenticator
        try await lab.enroll(app)
        let login = try await lab.tenant.startLogin(of: "ada", asking: .confirm)
        let id = try #require(await app.enrollments().first).id
        let code = try await app.code(for: id).text.text
        #expect(try await lab.tenant.submitCode(code, for: login.id) == .accepted)
        #expect(try await lab.tenant.status(of: login.id) == .approved)
    }

    @Test(
        arguments: [
            (.apple, "Apple", "iPhone", "iOS"), (.android, nil, "Pixel 8", "Android"),
        ] as [(Device.Platform, String?, String, String)])
    func `the login page can name the device`(
        platform: Device.Platform, vendor: String?, model: String, system: String
    ) async throws {
        let lab = Lab()
        try await lab.enroll(lab.app(platform: platform).authenticator)
        let device = try #require(await lab.tenant.devices(of: "ada").first)
        #expect(device.model.model == model)
        #expect(device.model.osName == system)
        if let vendor { #expect(device.model.vendor == vendor) }
        #expect(device.algorithm == "ES256")
        #expect(device.service == "fcm")
    }

    @Test func `of two devices the second hears that the other was first`() async throws {
        let lab = Lab()
        let apps = try [lab.app().authenticator, lab.app().authenticator]
        for (index, app) in apps.enumerated() { try await lab.enroll(app, token: "fcm-\(index)") }
        let login = try await lab.tenant.startLogin(of: "ada", asking: .confirm)
        let pushes = await lab.tenant.takePushes()
        #expect(pushes.count == 2)
        var outcomes: [Outcome] = []
        for (index, app) in apps.enumerated() {
            let challenge = try #require(
                await lab.challenges(at: app, token: "fcm-\(index)", pushes: pushes).first)
            outcomes.append(
                try await app.resolve(challenge, with: index == 0 ? .approve : .deny(.fraud)))
        }
        #expect(outcomes == [.delivered, .answeredElsewhere])
        #expect(try await lab.tenant.status(of: login.id) == .approved)
        #expect(try await lab.tenant.answers(to: login.id).count == 1)
    }

    @Test func `a push that comes twice is shown once`() async throws {
        let lab = Lab()
        let app = try lab.app().authenticator
        try await lab.enroll(app)
        _ = try await lab.tenant.startLogin(of: "ada", asking: .number, spoiledBy: .duplicatePush)
        let pushes = await lab.tenant.takePushes()
        #expect(pushes.count == 2)
        let challenges = try await lab.challenges(at: app, pushes: pushes)
        #expect(Set(challenges.map(\.id)).count == 1)
        #expect(try await app.records().count == 1)
    }

    @Test func `a lost reply is made good, and the login happens once`() async throws {
        let lab = Lab()
        let (app, faults) = try lab.app()
        try await lab.enroll(app)
        let login = try await lab.tenant.startLogin(of: "ada", asking: .confirm)
        let challenge = try #require(
            await lab.challenges(at: app, pushes: lab.tenant.takePushes()).first)
        await faults.next(.dropBefore)
        guard case .unknown = try await app.resolve(challenge, with: .approve) else {
            Issue.record("A lost reply is no word of the server.")
            return
        }
        #expect(try await app.resume() == [challenge.id: .delivered])
        #expect(try await lab.tenant.answers(to: login.id).count == 1)
    }

    @Test(arguments: [302, 400, 401, 403, 404, 405, 409, 418, 422, 429, 503])
    func `a gateway between them changes nothing, and the denial arrives`(
        status: Int
    ) async throws {
        let lab = Lab()
        let app = try lab.app().authenticator
        await lab.tenant.forceStranger(status: status)
        _ = try? await lab.enroll(app)
        #expect(await lab.tenant.devices(of: "ada").isEmpty)
        try await lab.enroll(app)
        #expect(try await app.enrollments().map(\.state) == [.active])
        let login = try await lab.tenant.startLogin(of: "ada", asking: .confirm)
        let challenge = try #require(
            await lab.challenges(at: app, pushes: lab.tenant.takePushes()).first)
        await lab.tenant.forceStranger(status: status)
        _ = try? await app.resolve(challenge, with: .deny(.fraud))
        #expect(try await lab.tenant.status(of: login.id) == .waiting)
        _ = try? await app.resolve(challenge, with: .approve)
        #expect(try await lab.tenant.status(of: login.id) == .denied)
        let answers = try await lab.tenant.answers(to: login.id)
        #expect(answers.map(\.rejectReason) == ["fraud_suspicion"])
    }

    @Test(arguments: PlusAuth.KeyAlgorithm.allCases, [false, true])
    func `an answer that could be sent only after its own end may be given again`(
        algorithm: PlusAuth.KeyAlgorithm, isSplit: Bool
    ) async throws {
        let lab = Lab {
            $0.requiresFreshAnswer = true
            $0.acceptsSplitKey = true
        }
        let (app, faults) = try lab.app(
            .ec {
                $0.keyAlgorithm = algorithm
                $0.splitKey = isSplit
            })
        try await lab.enroll(app)
        let login = try await lab.tenant.startLogin(of: "ada", asking: .confirm)
        let challenge = try #require(
            await lab.challenges(at: app, pushes: lab.tenant.takePushes()).first)
        await faults.next(.refuse)
        _ = try await app.resolve(challenge, with: .approve)
        lab.clock.advance(by: .seconds(200))
        _ = try await app.resume()
        #expect(try await app.record(of: challenge.id)?.state == .open)
        #expect(try await app.resolve(challenge, with: .approve) == .delivered)
        #expect(try await lab.tenant.status(of: login.id) == .approved)
        #expect(try await lab.tenant.answers(to: login.id).count == 1)
    }

    @Test func `an enrollment whose reply was lost is confirmed by its first push`() async throws {
        let lab = Lab()
        let (app, faults) = try lab.app()
        await faults.next(.dropAfter)
        _ = try? await lab.enroll(app)
        #expect(try await app.enrollments().map(\.state) == [.pending(.unconfirmed)])
        _ = try await lab.tenant.startLogin(of: "ada", asking: .confirm)
        let challenge = try #require(
            await lab.challenges(at: app, pushes: lab.tenant.takePushes()).first)
        #expect(try await app.enrollments().map(\.state) == [.active])
        #expect(try await app.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a tenant that takes RSA alone says so to an EC key`() async throws {
        let lab = Lab { $0.requiresRSA = true }
        let error = try await refusal { try await lab.enroll(lab.app().authenticator) }
        #expect(error.code == .server(status: 422))
        try await lab.enroll(lab.app(PlusAuth.Configuration()).authenticator)
    }

    @Test func `every way in which a tenant may send is understood`() async throws {
        let changes: [@Sendable (inout PlusAuthSimulator.Configuration) -> Void] = [
            { $0.omitsKid = true }, { $0.omitsResolveURL = true }, { $0.nestsNulls = true },
            { $0.resolvePath = .resolveChallenge },
            {
                $0.omitsResolveURL = true
                $0.servesResolve = false
            },
            { $0.errorBody = .plainText }, { $0.simBinding = .null },
            { $0.simBinding = .noSettings },
            { $0.simBinding = .bound }, { $0.flow = .passwordless },
        ]
        for (index, change) in changes.enumerated() {
            let lab = Lab(change)
            let app = try lab.app().authenticator
            try await lab.enroll(app)
            let login = try await lab.tenant.startLogin(of: "ada", asking: .number)
            let challenge = try #require(
                await lab.challenges(at: app, pushes: lab.tenant.takePushes()).first)
            let outcome = try await app.resolve(challenge, with: .choose(login.shown ?? ""))
            #expect(outcome == .delivered, "change \(index)")
            #expect(try await lab.tenant.status(of: login.id) == .approved, "change \(index)")
        }
    }

    @Test(
        arguments: [
            .tampered(claim: "values", value: ["00", "01"]), .wrongKey, .algNone, .hs256,
            .derSignature,
            .header("jwk", [:]), .foreignResolveURL("https://evil.example/resolve"),
            .reflectedAnswer,
            .missing(claim: "context_token"), .claim("exp", "soon"), .padded(to: 4_200),
        ] as [PlusAuthSimulator.BadPush])
    func `no bad push is shown`(fault: PlusAuthSimulator.BadPush) async throws {
        let lab = Lab()
        let app = try lab.app().authenticator
        try await lab.enroll(app)
        _ = try await lab.tenant.startLogin(of: "ada", asking: .number, spoiledBy: fault)
        let push = try #require(await lab.tenant.takePushes().first)
        await #expect(throws: PushError.self) { _ = try await app.receive(push.message()) }
        #expect(try await app.records().isEmpty)
    }

    // MARK: Split keys: `docs/vendors/plusauth.md#the-private-key-that-is-sent`

    @Test(arguments: PlusAuth.KeyAlgorithm.allCases)
    func `split keys work where the tenant doesn't check that the halves match`(
        algorithm: PlusAuth.KeyAlgorithm
    ) async throws {
        let configuration = PlusAuth.Configuration.ec {
            $0.keyAlgorithm = algorithm
            $0.splitKey = true
        }
        let lab = Lab { $0.acceptsSplitKey = true }
        let app = try lab.app(configuration).authenticator
        try await lab.enroll(app)
        let login = try await lab.tenant.startLogin(of: "ada", asking: .number)
        let challenge = try #require(
            await lab.challenges(at: app, pushes: lab.tenant.takePushes()).first)
        let outcome = try await app.resolve(challenge, with: .choose(login.shown ?? ""))
        #expect(outcome == .delivered)
        #expect(try await lab.tenant.status(of: login.id) == .approved)
    }

    @Test func `split keys are refused where it does`() async throws {
        let lab = Lab()
        await #expect(throws: PushError.self) {
            try await lab.enroll(lab.app(.ec { $0.splitKey = true }).authenticator)
        }
        #expect(await lab.tenant.devices(of: "ada").isEmpty)
    }

    @Test func `with split keys the half that answers never leaves the device`() async throws {
        let harness = try await PlusAuthHarness.enrolled(.ec { $0.splitKey = true })
        let posted = try #require(await harness.enrollments().last)
        let (publicKey, privateKey) = try (
            posted.object("public_key"), posted.object("private_key")
        )
        #expect(publicKey["x"] != privateKey["x"])
        #expect(thumbprint(publicKey) != thumbprint(privateKey))
        let sent = try posted.key()
        // The tenant signs with the half it was sent, whatever it calls that key.
        for (index, name) in [nil, sent.id, thumbprint(publicKey)].enumerated() {
            let context = ContextJWT(sent, token: "ctx-\(index)")
                .with(header: "kid", name.map { .string($0) })
            let challenge = try await harness.challenge(context)
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
            // The key the server was sent can't make our answers.
            let token = try #require(await harness.lastAnswer().members()["context"]?.string)
            let parts = token.split(separator: ".").map(String.init)
            let signature = try #require(decoded(base64url: parts[2]))
            #expect(!sent.accepts(Array(signature), over: "\(parts[0]).\(parts[1])"))
        }
    }
}
