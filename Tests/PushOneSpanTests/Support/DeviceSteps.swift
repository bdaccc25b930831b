import Foundation
import HTTPTypes
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

/// What an app and its user do with a device.
extension OneSpanHarness {
    /// The same device after its process was killed.
    func restarted() async throws -> OneSpanHarness {
        var setup = setup
        setup.wall = clock.now
        return try await OneSpanHarness(site, token: token, store: store, user: user, setup: setup)
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
        await watched.untilAsleep()
        clock.advance(by: duration)
    }

    /// Types in an activation password.
    @discardableResult
    func join(
        _ name: String = Sample.user, password: String, token: Bool = true
    ) async throws -> Enrollment {
        if token { try await authenticator.deviceTokenChanged(.fcm(self.token)) }
        let offers = try authenticator.offers(
            for: .credentials(user: name, password: Secret(Array(password.utf8))))
        return try await authenticator.enroll(try #require(offers.first))
    }

    @discardableResult
    func join(_ name: String = Sample.user, token: Bool = true) async throws -> Enrollment {
        try await join(name, password: site.password(of: name), token: token)
    }

    /// A device of a user, activated and registered, and a server that forgot how.
    static func joined(
        _ site: Site = Site(), token: String = "token-a", setup: Setup = Setup()
    ) async throws -> OneSpanHarness {
        let handset = try await OneSpanHarness(site, token: token, setup: setup)
        try await handset.join()
        await site.server.forget()
        return handset
    }

    var state: Enrollment.State? {
        get async throws { try await authenticator.enrollments().first?.state }
    }

    /// The platform's record of this device.
    func device() async throws -> OneSpanSimulator.RegisteredDevice {
        let id = try await enrollment().id.name
        return try #require(
            await site.tenant.devices(of: Sample.user).first { $0.id == id })
    }

    func id(_ request: String) async throws -> Challenge.ID {
        Challenge.ID(request, of: try await enrollment().id)
    }

    func record(_ request: String) async throws -> ChallengeRecord.State? {
        try await authenticator.record(of: id(request))?.state
    }
}

extension OneSpanHarness {
    /// The pushes that wait for this device; those of others stay.
    func pushes() async throws -> [PushMessage] {
        try await OneSpanHarness.pushes(at: site)[token] ?? []
    }

    static func pushes(at site: Site) async throws -> [String: [PushMessage]] {
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
