import PushCore
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting
import Testing

/// Notification registration by the uniform door.
@Suite struct RegistrationTests {
    @Test func `an unchanged token causes no traffic`() async throws {
        let harness = try await OneSpanHarness.activated()
        let sent = await harness.sent
        #expect(try await harness.authenticator.deviceTokenChanged(OneSpanHarness.token).isEmpty)
        try await harness.authenticator.resume()
        let again = try OneSpanHarness(sharing: harness)
        #expect(try await again.authenticator.deviceTokenChanged(OneSpanHarness.token).isEmpty)
        #expect(await harness.sent == sent)
    }

    @Test func `a changed token is registered`() async throws {
        let harness = try await OneSpanHarness.activated()
        #expect(try await harness.authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        #expect(await harness.sent == 6)
        let device = await harness.simulator.devices(of: OneSpanHarness.name).first
        #expect(device?.deviceToken == .fcm("another"))
    }

    @Test func `a token that goes back after a lost reply is registered again`() async throws {
        let harness = try await OneSpanHarness.activated()
        await harness.faults.next(.dropAfter)
        let failures = try await harness.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(failures.count == 1)
        #expect(
            await harness.simulator.devices(of: OneSpanHarness.name).first?.deviceToken
                == .fcm("another"))
        #expect(try await harness.authenticator.deviceTokenChanged(OneSpanHarness.token).isEmpty)
        #expect(
            await harness.simulator.devices(of: OneSpanHarness.name).first?.deviceToken
                == OneSpanHarness.token)
    }

    @Test func `the same bytes finish a registration whose reply was lost`() async throws {
        let harness = try await OneSpanHarness.activated()
        await harness.faults.next(.dropAfter)
        #expect(try await harness.authenticator.deviceTokenChanged(.fcm("another")).count == 1)
        #expect(try await harness.authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        let sent = try await harness.commands().suffix(2)
        #expect(sent.first == sent.last)
        // Once it is over, another one is another command.
        #expect(try await harness.authenticator.deviceTokenChanged(OneSpanHarness.token).isEmpty)
        #expect(try await harness.commands().last != sent.last)
    }

    @Test func `a registration whose time is over is a new one`() async throws {
        let harness = try await OneSpanHarness.activated()
        await harness.faults.next(.dropAfter)
        #expect(try await harness.authenticator.deviceTokenChanged(.fcm("another")).count == 1)
        harness.clock.advance(by: .seconds(300))
        #expect(try await harness.authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        #expect(Set(try await harness.commands().suffix(2)).count == 2)
    }

    @Test func `a token can't be taken away`() async throws {
        let harness = try await OneSpanHarness.activated()
        let failures = try await harness.authenticator.deviceTokenRemoved(of: .fcm)
        #expect(failures.values.map(\.code) == [.unsupported])
    }

    @Test func `a removed device is told so once, and needs an activation`() async throws {
        let harness = try await OneSpanHarness.activated()
        await harness.simulator.removeDevices(of: OneSpanHarness.name)
        let failures = try await harness.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(failures.values.map(\.oneSpan) == [.authenticator(-1300)])
        #expect(try await harness.enrollment().state == .needsReenrollment)
        let sent = await harness.sent
        _ = try await harness.authenticator.deviceTokenChanged(.fcm("third"))
        #expect(await harness.sent == sent)
    }

    @Test func `an error that nobody authenticated changes nothing`() async throws {
        let harness = try await OneSpanHarness.activated()
        let known = try await harness.enrollment()
        await harness.simulator.next(reply: .clearError(-1300))
        let failures = try await harness.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(failures.values.map(\.code) == [.interrupted])
        #expect(try await harness.enrollment().state == known.state)
    }

    @Test func `an identifier that doesn't come in a minute is given up, and asked for again`()
        async throws
    {
        let harness = try await OneSpanHarness.activated()
        let silent = SilentIdentifiers()
        let environment = PushEnvironment(
            transport: harness.transport, store: harness.store, verifier: harness.user,
            clock: harness.watched, device: Device(name: "Phone", platform: .android))
        let provider = OneSpan(
            engine: harness.engine,
            relay: HTTPCommandRelay(
                try Endpoint("https://app.example.com/commands"), in: environment),
            configuration: .init(identifiers: silent), in: environment)
        let authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment)
        let sent = await harness.sent
        async let failures = authenticator.deviceTokenChanged(.fcm("another"))
        await harness.untilAsleep(for: .seconds(60))
        harness.clock.advance(by: .seconds(60))
        #expect(try await failures.values.map(\.code) == [.unreachable])
        #expect(await harness.sent == sent)
        await silent.gate.open()
        // The next start.
        let later = try OneSpanHarness(sharing: harness)
        #expect(try await later.authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        #expect(
            await harness.simulator.devices(of: OneSpanHarness.name).map(\.deviceToken) == [
                .fcm("another")
            ])
    }

    @Test func `the open identifier has the documented layout`() async throws {
        let identifiers = OpenNotificationIdentifiers()
        let apns = try await identifiers.identifier(for: .apns(hex: "A1b2", isSandbox: true))
        #expect(apns.text == "4F4E493101010002A1B2")
        let fcm = try await identifiers.identifier(for: .fcm("ab"))
        #expect(fcm.text == "4F4E4931020000026162")
        let longest = try await identifiers.identifier(
            for: .fcm(String(repeating: "x", count: 1_024)))
        #expect(longest.text.utf8.count == NotificationIdentifier.limit)
        await #expect(throws: PushError.self) {
            try await identifiers.identifier(for: .fcm(String(repeating: "x", count: 1_025)))
        }
    }
}

/// A Notification SDK that doesn't answer, and doesn't mind being cancelled.
private struct SilentIdentifiers: NotificationIdentifierProvider {
    let gate = Gate(letsCancelledPass: true)

    func identifier(
        for deviceToken: DeviceToken
    ) async throws(PushError) -> NotificationIdentifier {
        let gate = gate
        await Task { await gate.pass() }.value
        throw PushError(.unreachable, "Too late.")
    }
}
