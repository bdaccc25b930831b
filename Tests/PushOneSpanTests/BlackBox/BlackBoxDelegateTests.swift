import PushCore
import PushOneSpan
import PushTesting
import Testing

extension BlackBox {
    /// A delegate that knows the guide's name of the callback alone.
    actor GuideApp: NotificationRegistrationDelegate {
        private(set) var commands: [UInt8] = []
        private(set) var successes = 0
        private let server: CustomerServer
        private let door: OneSpanOrchestrator

        init(_ bench: Bench) { (server, door) = (bench.site.server, bench.door) }

        func onNotificationRegistrationComplete(_ command: OrchestrationCommand) {
            guard let read = Command(hex: command.hex) else { return }
            commands.append(read.type)
            Task { [server, door] in
                guard let reply = try await server.carry(read) else { return }
                await door.execute(reply.hex)
            }
        }

        func onNotificationRegistrationSuccess(
            _ orchestrationUser: OrchestrationUser,
            _ notificationIdentifier: NotificationIdentifier
        ) { successes += 1 }
    }

    /// One that knows both.
    actor CarefulApp: NotificationRegistrationDelegate {
        private(set) var names: [String] = []
        private let server: CustomerServer
        private let door: OneSpanOrchestrator

        init(_ bench: Bench) { (server, door) = (bench.site.server, bench.door) }

        private func send(_ command: OrchestrationCommand) {
            guard let read = Command(hex: command.hex) else { return }
            Task { [server, door] in
                guard let reply = try await server.carry(read) else { return }
                await door.execute(reply.hex)
            }
        }

        func onNotificationRegistrationStepComplete(_ command: OrchestrationCommand) {
            names.append("step")
            send(command)
        }

        func onNotificationRegistrationComplete(_ command: OrchestrationCommand) {
            names.append("complete")
            send(command)
        }

        func onNotificationRegistrationSuccess(
            _ orchestrationUser: OrchestrationUser,
            _ notificationIdentifier: NotificationIdentifier
        ) { names.append("success") }
    }

    /// One that carries nothing.
    actor IdleApp: NotificationRegistrationDelegate {
        func onNotificationRegistrationSuccess(
            _ orchestrationUser: OrchestrationUser,
            _ notificationIdentifier: NotificationIdentifier
        ) {}
    }

    /// The two names of one callback: `docs/vendors/onespan.md#notification-registration`.
    @Suite(.timeLimit(.minutes(10))) struct DelegateTests {
        private func register(
            _ bench: Bench, _ delegate: any NotificationRegistrationDelegate
        ) async throws {
            try await bench.door.startNotificationRegistration(
                NotificationRegistrationParameters(
                    orchestrationUser: bench.knownUser(),
                    notificationIdentifier: bench.door.registerNotificationService(.fcm("t")),
                    delegate: delegate))
        }

        @Test func `the guide's name alone does`() async throws {
            let bench = try await Bench()
            try await bench.activate()
            let app = GuideApp(bench)
            try await register(bench, app)
            #expect(await app.commands == [0x10])
            #expect(await app.successes == 1)
        }

        @Test func `of both names one is called`() async throws {
            let bench = try await Bench()
            try await bench.activate()
            let app = CarefulApp(bench)
            try await register(bench, app)
            #expect(await app.names == ["step", "success"])
        }

        @Test func `with neither, nothing changes, and the app learns it at once`() async throws {
            let bench = try await Bench()
            try await bench.activate()
            let before = await bench.handset.store.backup()
            let error = try await refusal { try await register(bench, IdleApp()) }
            #expect(error.oneSpan == .handlerNotSet)
            #expect(await bench.handset.store.backup() == before)
            #expect(await bench.site.server.types.last == 0x07)
            try await bench.register()
            #expect(try await bench.handset.state == .active)
        }

        @Test func `a user who isn't activated can't be registered`() async throws {
            let bench = try await Bench()
            let error = try await refusal { try await register(bench, IdleApp()) }
            #expect(error.oneSpan == .notActivated)
        }
    }
}
