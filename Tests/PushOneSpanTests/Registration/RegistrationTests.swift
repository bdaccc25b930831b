import PushCore
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting
import Testing

/// Notification registration by the uniform door.
@Suite struct RegistrationTests {
    @Test func `an unchanged token causes no traffic`() async throws {
        let world = try await World.activated()
        let sent = await world.sent
        #expect(try await world.authenticator.deviceTokenChanged(World.token).isEmpty)
        try await world.authenticator.resume()
        let again = try World(sharing: world)
        #expect(try await again.authenticator.deviceTokenChanged(World.token).isEmpty)
        #expect(await world.sent == sent)
    }

    @Test func `a changed token is registered`() async throws {
        let world = try await World.activated()
        #expect(try await world.authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        #expect(await world.sent == 6)
        let device = await world.simulator.devices(of: World.name).first
        #expect(device?.deviceToken == .fcm("another"))
    }

    @Test func `a token that goes back after a lost reply is registered again`() async throws {
        let world = try await World.activated()
        await world.faults.next(.dropAfter)
        let failures = try await world.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(failures.count == 1)
        #expect(
            await world.simulator.devices(of: World.name).first?.deviceToken == .fcm("another"))
        #expect(try await world.authenticator.deviceTokenChanged(World.token).isEmpty)
        #expect(await world.simulator.devices(of: World.name).first?.deviceToken == World.token)
    }

    @Test func `the same bytes finish a registration whose reply was lost`() async throws {
        let world = try await World.activated()
        await world.faults.next(.dropAfter)
        #expect(try await world.authenticator.deviceTokenChanged(.fcm("another")).count == 1)
        #expect(try await world.authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        let sent = try await world.commands().suffix(2)
        #expect(sent.first == sent.last)
        // Once it is over, another one is another command.
        #expect(try await world.authenticator.deviceTokenChanged(World.token).isEmpty)
        #expect(try await world.commands().last != sent.last)
    }

    @Test func `a registration whose time is over is a new one`() async throws {
        let world = try await World.activated()
        await world.faults.next(.dropAfter)
        #expect(try await world.authenticator.deviceTokenChanged(.fcm("another")).count == 1)
        world.clock.advance(by: .seconds(300))
        #expect(try await world.authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        #expect(Set(try await world.commands().suffix(2)).count == 2)
    }

    @Test func `a token can't be taken away`() async throws {
        let world = try await World.activated()
        let failures = try await world.authenticator.deviceTokenRemoved(of: .fcm)
        #expect(failures.values.map(\.code) == [.unsupported])
    }

    @Test func `a removed device is told so once, and needs an activation`() async throws {
        let world = try await World.activated()
        await world.simulator.removeDevices(of: World.name)
        let failures = try await world.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(failures.values.map(\.oneSpan) == [.authenticator(-1300)])
        #expect(try await world.enrollment().state == .needsReenrollment)
        let sent = await world.sent
        _ = try await world.authenticator.deviceTokenChanged(.fcm("third"))
        #expect(await world.sent == sent)
    }

    @Test func `an error that nobody authenticated changes nothing`() async throws {
        let world = try await World.activated()
        let known = try await world.enrollment()
        await world.simulator.next(reply: .clearError(-1300))
        let failures = try await world.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(failures.values.map(\.code) == [.interrupted])
        #expect(try await world.enrollment().state == known.state)
    }

    @Test func `an identifier that doesn't come in a minute is given up, and asked for again`()
        async throws
    {
        let world = try await World.activated()
        let silent = SilentIdentifiers()
        let environment = Environment(
            transport: world.transport, store: world.store, verifier: world.user,
            clock: world.watched, device: Device(name: "Phone", platform: .android))
        let provider = OneSpan(
            engine: world.engine,
            relay: HTTPCommandRelay(
                try Endpoint("https://app.example.com/commands"), in: environment),
            configuration: .init(identifiers: silent), in: environment)
        let authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment)
        let sent = await world.sent
        async let failures = authenticator.deviceTokenChanged(.fcm("another"))
        await world.untilAsleep(for: .seconds(60))
        world.clock.advance(by: .seconds(60))
        #expect(try await failures.values.map(\.code) == [.unreachable])
        #expect(await world.sent == sent)
        await silent.gate.open()
        // The next start.
        let later = try World(sharing: world)
        #expect(try await later.authenticator.deviceTokenChanged(.fcm("another")).isEmpty)
        #expect(
            await world.simulator.devices(of: World.name).map(\.deviceToken) == [.fcm("another")])
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
