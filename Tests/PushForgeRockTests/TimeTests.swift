import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// Whose word on the time counts where. A code's host proves nothing, so an enrollment that names a
/// bank's host must not speak for the bank's clock.
@Suite struct TimeTests {
    /// Three enrollments at one host, of two instances, and another vendor's beside them; each has an
    /// open challenge. All of AM's refuse late answers, so what has certainly expired is closed.
    private struct Phone {
        let clock = ManualClock(WorkedExample.issued)
        let server = ScriptedServer(AMScript())
        let authenticator: PushAuthenticator
        private(set) var enrollments: [Enrollment.ID] = []

        init() async throws {
            let server = server
            let environment = PushEnvironment(
                transport: SimulatedTransport { await server.respond(to: $0, body: $1) },
                store: InMemoryStore(), verifier: ScriptedVerifier.willing(), clock: clock,
                random: SeededRandom(seed: 1),
                device: Device(name: WorkedExample.deviceName, platform: .apple))
            let configuration = ForgeRock.Configuration(refusesLateAnswers: true)
            authenticator = PushAuthenticator(
                try PluginRegistry([
                    ForgeRock(configuration: configuration, in: environment),
                    ForgeRock(id: "forgerock/b", configuration: configuration, in: environment),
                    OtherVendor(),
                ]), in: environment)
            try await authenticator.deviceTokenChanged(
                .apns(hex: WorkedExample.token, isSandbox: false))
            for (account, provider) in [
                ("mallory", "forgerock"), ("jane", "forgerock"), ("joan", "forgerock/b"),
            ] as [(String, ProviderID)] {
                let code = EnrollmentCode().with(label: "Example:\(account)")
                let offers = try authenticator.offers(for: .scanned(text: code.text))
                let offer = try #require(offers.first { $0.provider == provider })
                enrollments.append(try await authenticator.enroll(offer).id)
            }
            try await OtherVendor.join("am.example.com", port: 8443, in: environment)
            for enrollment in enrollments {
                _ = try await receive(
                    from: enrollment, at: WorkedExample.issued, about: WorkedExample.challenge)
            }
            _ = try await authenticator.receive(OtherVendor.push("one"))
        }

        /// Receives a push that AM made at a time.
        func receive(
            from enrollment: Enrollment.ID, at time: Date, about challenge: [UInt8] = randomBytes()
        ) async throws -> Reception? {
            let milliseconds = Int64(time.timeIntervalSince1970 * 1000)
            let push = AMPush().with("u", .string(enrollment.name)).about(challenge)
                .with("i", .string("\(milliseconds)"))
            return try await authenticator.receive(push.message()).first
        }

        /// Whether each enrollment's first challenge is open still, if it is received once more.
        func areOpen() async throws -> [Bool] {
            var receptions: [Reception?] = []
            for enrollment in enrollments {
                receptions.append(
                    try await receive(
                        from: enrollment, at: WorkedExample.issued, about: WorkedExample.challenge))
            }
            receptions.append(try await authenticator.receive(OtherVendor.push("one")).first)
            return receptions.map(hasTime)
        }

        func hasTime(_ reception: Reception?) -> Bool {
            guard case .notice(_, let validity)? = reception?.kind else { return false }
            return validity != .expired
        }
    }

    @Test func `pushes signed with a far time end nothing, of nobody, and can be answered`()
        async throws
    {
        let phone = try await Phone()
        for day in 1...3 {
            let reception = try await phone.receive(
                from: phone.enrollments[0], at: WorkedExample.issued + 86_400 * Double(day))
            #expect(phone.hasTime(reception))
            let id = try #require(reception?.challenge)
            let challenge = try await phone.authenticator.challenge(id)
            #expect(challenge.expiry == WorkedExample.expiry + 86_400 * Double(day))
            #expect(
                try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        }
        #expect(try await phone.areOpen() == [true, true, true, true])
    }

    @Test func `one signed time ends nothing, and two end what is the enrollment's own`()
        async throws
    {
        let phone = try await Phone()
        let own = phone.enrollments[0]
        #expect(phone.hasTime(try await phone.receive(from: own, at: WorkedExample.issued + 540)))
        #expect(try await phone.areOpen() == [true, true, true, true])
        #expect(phone.hasTime(try await phone.receive(from: own, at: WorkedExample.issued + 541)))
        #expect(try await phone.areOpen() == [false, true, true, true])
    }

    @Test func `a push that comes again is no second reading`() async throws {
        let phone = try await Phone()
        let challenge = randomBytes()
        for _ in 0..<10 {
            _ = try await phone.receive(
                from: phone.enrollments[0], at: WorkedExample.issued + 540, about: challenge)
        }
        #expect(try await phone.areOpen() == [true, true, true, true])
    }

    @Test func `what replies tell counts for their own instance alone, once two agree`()
        async throws
    {
        let phone = try await Phone()
        await phone.server.tell(date: "Thu, 09 Oct 2025 10:00:20 GMT")
        for (token, expected) in [("AA", true), ("BB", false)] {
            try await phone.authenticator.deviceTokenChanged(
                .apns(hex: token, isSandbox: false), for: phone.enrollments[0])
            let areOpen = try await phone.areOpen()
            #expect(areOpen == [expected, expected, true, true])
        }
    }

    @Test func `two replies that contradict each other end nothing`() async throws {
        let phone = try await Phone()
        for (token, date) in [
            ("AA", "Thu, 09 Oct 2025 10:00:20 GMT"), ("BB", "Fri, 10 Oct 2025 10:00:20 GMT"),
        ] {
            await phone.server.tell(date: date)
            try await phone.authenticator.deviceTokenChanged(
                .apns(hex: token, isSandbox: false), for: phone.enrollments[0])
        }
        #expect(try await phone.areOpen() == [true, true, true, true])
    }
}
