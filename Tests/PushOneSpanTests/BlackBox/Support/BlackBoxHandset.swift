import Foundation
import HTTPTypes
import PushCore
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting
import Testing

extension BlackBox {
    /// One device: everything but the platform and its customer is real.
    struct Handset {
        let site: Site
        let store: Flash
        let clock: ManualClock
        let observer = RecordingObserver()
        let user: Typist
        let transport: SimulatedTransport
        let engine: OpenReferenceEngine
        let provider: OneSpan
        let authenticator: PushAuthenticator
        let token: String
        private let setup: Setup

        /// What a test may want otherwise.
        struct Setup: Sendable {
            var hasBiometry = false
            /// Where a command is sent once only, a test sees each sending where it makes it.
            var tries = 1
            var domain = BlackBox.domain
            var iterations = 10
            /// Otherwise the app carries commands through delegates.
            var hasRelay = true
            /// The process's name, under which it goes on at once after it was killed.
            var instance: String?
            /// What the wall clock shows.
            var wall = Site.start
        }

        init(
            _ site: Site, token: String = "token-a", store: Flash = Flash(),
            user: Typist = Typist(), setup: Setup = Setup()
        ) async throws {
            (self.site, self.token, self.store, self.user) = (site, token, store, user)
            self.setup = setup
            let clock = ManualClock(setup.wall)
            self.clock = clock
            let server = site.server
            transport = SimulatedTransport(delay: { await clock.sleep(for: $0) }) {
                await server.respond(to: $0, body: $1)
            }
            let environment = Environment(
                transport: transport, store: store, verifier: user, clock: HurriedClock(clock),
                device: Device(name: "test phone", platform: .other), observer: observer)
            engine = OpenReferenceEngine(
                try OpenReferenceEngine.Configuration(
                    domain: setup.domain, serverKeys: [site.tenant.serverKey],
                    pbkdf2Iterations: setup.iterations, hasBiometry: setup.hasBiometry),
                in: environment)
            provider = OneSpan(
                engine: engine,
                relay: setup.hasRelay
                    ? HTTPCommandRelay(
                        try Endpoint(await site.tenant.commandURL), in: environment) : nil,
                configuration: OneSpan.Configuration(
                    identifiers: OpenNotificationIdentifiers(), hasBiometry: setup.hasBiometry,
                    tries: setup.tries),
                in: environment)
            var policies = Policies()
            policies.brake = .off
            policies.instance = setup.instance
            // Nothing is tried in the background.
            policies.backoff.tries = 0
            authenticator = PushAuthenticator(
                try PluginRegistry([provider]), in: environment, policies: policies)
        }

        /// The same device after its process was killed.
        func restarted() async throws -> Handset {
            var setup = setup
            setup.wall = clock.now
            return try await Handset(site, token: token, store: store, user: user, setup: setup)
        }

        /// What an app does at its start.
        func start() async throws {
            try await authenticator.resume()
            for enrollment in try await authenticator.enrollments() {
                _ = try? await authenticator.refresh(enrollment.id)
            }
            try await authenticator.deviceTokenChanged(.fcm(token))
        }

        /// Lets time pass, here and at the platform.
        func pass(_ duration: Duration) {
            clock.advance(by: duration)
            site.time.advance(by: duration)
        }

        /// Lets time pass on the device, once something waits for that.
        func outwait(_ duration: Duration) async {
            while clock.sleepers == 0 { await Task.yield() }
            clock.advance(by: duration)
        }

        /// Types in an activation password.
        @discardableResult
        func join(
            _ name: String = BlackBox.user, password: String, token: Bool = true
        ) async throws -> Enrollment {
            if token { try await authenticator.deviceTokenChanged(.fcm(self.token)) }
            let offers = try authenticator.offers(
                for: .credentials(user: name, password: Secret(Array(password.utf8))))
            return try await authenticator.enroll(try #require(offers.first))
        }

        @discardableResult
        func join(_ name: String = BlackBox.user, token: Bool = true) async throws -> Enrollment {
            try await join(name, password: site.password(of: name), token: token)
        }

        /// A device of a user, activated and registered, and a server that forgot how.
        static func joined(
            _ site: Site = Site(), token: String = "token-a", setup: Setup = Setup()
        ) async throws -> Handset {
            let handset = try await Handset(site, token: token, setup: setup)
            try await handset.join()
            await site.server.forget()
            return handset
        }

        func enrollment() async throws -> Enrollment {
            try #require(await authenticator.enrollments().first)
        }

        var state: Enrollment.State? {
            get async throws { try await authenticator.enrollments().first?.state }
        }

        /// The platform's record of this device.
        func device() async throws -> OneSpanSimulator.RegisteredDevice {
            let id = try await enrollment().id.name
            return try #require(
                await site.tenant.devices(of: BlackBox.user).first { $0.id == id })
        }

        func id(_ request: String) async throws -> Challenge.ID {
            Challenge.ID(request, of: try await enrollment().id)
        }

        func record(_ request: String) async throws -> ChallengeRecord.State? {
            try await authenticator.record(of: id(request))?.state
        }
    }
}

extension BlackBox.Handset {
    /// The pushes that wait for this device; those of others stay.
    func pushes() async throws -> [PushMessage] {
        try await BlackBox.Handset.pushes(at: site)[token] ?? []
    }

    static func pushes(at site: BlackBox.Site) async throws -> [String: [PushMessage]] {
        var found: [String: [PushMessage]] = [:]
        for push in await site.tenant.takePushes() {
            guard case .fcm(let token) = push.deviceToken else { continue }
            found[token, default: []].append(try push.message())
        }
        return found
    }

    /// Receives everything that waits for this device.
    @discardableResult
    func receive() async throws -> [Reception] {
        var receptions: [Reception] = []
        for message in try await pushes() {
            receptions += try await authenticator.receive(message)
        }
        return receptions
    }

    /// Receives a request, and opens it.
    func open(_ request: String) async throws -> Challenge {
        try await receive()
        return try await authenticator.challenge(id(request))
    }

    func approve(_ request: String) async throws -> Outcome {
        try await authenticator.resolve(open(request), with: .approve)
    }

    func deny(_ request: String) async throws -> Outcome {
        try await authenticator.resolve(open(request), with: .deny(.unexpected))
    }
}
