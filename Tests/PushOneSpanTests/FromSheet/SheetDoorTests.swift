import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

extension FromSheet {
    /// The vendor's own vocabulary: who is told what, and when (2.1 to 2.4, 9).
    @Suite(.timeLimit(.minutes(1))) struct DoorTests {
        @Test func `an activation and a registration tell the app what the sheet says`()
            async throws
        {
            let bench = try await Bench()
            try await bench.activate()
            #expect(
                await bench.app.events == [
                    .step(0x01), .step(0x03), .step(0x05), .step(0x07), .activated,
                ])
            #expect(try await bench.site.activationStatus() == "pending")
            #expect(try await bench.door.isUserActivated(bench.knownUser()))
            try await bench.register()
            #expect(
                await bench.app.events.suffix(2) == [.step(0x10), .registered(FromSheet.user)])
            #expect(try await bench.site.activationStatus() == "activated")
            #expect(try await bench.door.users().map(\.userIdentifier) == [FromSheet.user])
        }

        @Test func `an unchanged identifier is a success without traffic`() async throws {
            let bench = try await Bench.joined()
            try await bench.register()
            #expect(await bench.app.count(.step(0x10)) == 1)
            #expect(await bench.app.count(.registered(FromSheet.user)) == 2)
        }

        @Test(arguments: [
            ("", ActivationInputProblem.activationPasswordNullOrEmpty),
            ("K7M2Q9X", .activationPasswordWrongLength),
            ("K7M2Q9XE", .activationPasswordWrongChecksum),
        ])
        func `a wrong input ends an activation at once`(
            typed: String, problem: ActivationInputProblem
        ) async throws {
            let bench = try await Bench()
            try await bench.activate(typed)
            #expect(await bench.app.events == [.activationInput(problem)])
        }

        @Test func `a missing user identifier, too`() async throws {
            let bench = try await Bench()
            try await bench.activate("K7M2Q9XD", name: "")
            #expect(await bench.app.events == [.activationInput(.userIDNullOrEmpty)])
        }

        @Test func `a user who gives up aborts an activation`() async throws {
            let bench = try await Bench()
            await bench.handset.user.giveUp()
            try await bench.activate()
            #expect(await bench.app.events == [.activationAborted])
            #expect(await bench.handset.store.credentials == 0)
        }

        @Test(arguments: [UInt8(0x01), 0x03, 0x05])
        func `an activation can be cancelled while a reply is awaited`(type: UInt8) async throws {
            let bench = try await Bench()
            let password = try await bench.site.password()
            let gate = Gate()
            await bench.site.server.next(.holdReply(gate), at: type)
            async let activating: Void = bench.activate(password)
            await gate.arrival()
            try await bench.door.cancel()
            try await activating
            await gate.open()
            #expect(await bench.app.events.last == .activationAborted)
            #expect(await bench.site.server.types.last == type)
            #expect(await bench.handset.store.credentials == 0)
            try await bench.activate(password)
            #expect(await bench.app.events.contains(.activated))
        }

        @Test func `an activation can be cancelled while its last reply is awaited`() async throws {
            let bench = try await Bench()
            let gate = Gate()
            await bench.site.server.next(.holdReply(gate), at: 0x07)
            async let activating: Void = bench.activate()
            await gate.arrival()
            try await bench.door.cancel()
            try await activating
            await gate.open()
            #expect(await bench.app.events.last == .activationAborted)
            #expect(try await bench.door.users().isEmpty)
            #expect(await bench.handset.store.credentials == 0)
        }

        @Test func `a second activation meanwhile is refused`() async throws {
            let bench = try await Bench()
            let gate = Gate()
            await bench.handset.user.think(at: gate)
            async let activating: Void = bench.activate()
            await gate.arrival()
            let error = try await FromSheet.refusal { try await bench.activate("K7M2Q9XD") }
            #expect(error.oneSpan == .workflowInProgress)
            await gate.open()
            try await activating
            #expect(await bench.app.events.last == .activated)
        }

        @Test func `a login tells the app what the sheet says`() async throws {
            let bench = try await Bench.joined(Site { $0.authToken = "token" })
            let before = await bench.app.events.count
            _ = try await bench.site.pinLogin()
            try await bench.execute()
            let end = App.Event.success(.authentication, .accepted, token: true)
            await bench.app.wait(for: end)
            #expect(
                await Array(bench.app.events.dropFirst(before)) == [
                    .step(0x21),
                    .displayed(.authentication, .text("Sign in to Example Bank")), .step(0x23),
                    end,
                ])
        }

        @Test(arguments: [WorkflowKind.authentication, .transaction])
        func `a rejection is a success, and asks for nothing`(kind: WorkflowKind) async throws {
            let bench = try await Bench.joined()
            await bench.app.prefer(.reject)
            let request =
                kind == .transaction
                ? try await bench.site.transaction() : try await bench.site.pinLogin()
            try await bench.execute()
            await bench.app.wait(for: .success(kind, .refused, token: false))
            #expect(await bench.site.status(request) == .refused)
            #expect(await bench.handset.user.answerRequests.isEmpty)
        }

        @Test func `a command that nobody handles is an error, and starts nothing`() async throws {
            let bench = try await Bench.joined()
            await bench.door.setRemoteTransactionDelegate(nil)
            _ = try await bench.site.transaction()
            try await bench.execute()
            await bench.app.wait(for: .error(.handlerNotSet))
            #expect(await bench.site.server.commands(0x31).isEmpty)
        }

        @Test func `what is no command is an error`() async throws {
            let bench = try await Bench.joined()
            await bench.door.execute("hello")
            await bench.door.execute("4F4F4331")
            #expect(await bench.app.count(.error(.command(.commandMalformed))) >= 1)
            #expect(await bench.app.events.suffix(2).allSatisfy {
                if case .error = $0 { true } else { false }
            })
        }

        @Test func `a reply executed again is refused`() async throws {
            let bench = try await Bench.joined()
            _ = try await bench.site.login()
            try await bench.execute()
            await bench.app.wait(for: .success(.authentication, .accepted, token: false))
            let before = await bench.app.events
            for reply in await bench.site.server.exchanges.compactMap(\.reply) {
                await bench.door.execute(reply.hex)
            }
            let after = await bench.app.events.dropFirst(before.count)
            #expect(!after.isEmpty)
            #expect(after.allSatisfy { if case .error = $0 { true } else { false } })
            #expect(try await bench.handset.state == .active)
        }

        @Test func `an unproved error is told, and the true reply is still taken`() async throws {
            let bench = try await Bench.joined()
            _ = try await bench.site.login()
            await bench.site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(-1300))
            try await bench.execute()
            await bench.app.wait(for: .serverError(-1300, isAuthenticated: false))
            let fetch = try #require(await bench.site.server.commands(0x21).last)
            let reply = try #require(try await bench.site.server.post(fetch))
            await bench.door.execute(reply.hex)
            await bench.app.wait(for: .success(.authentication, .accepted, token: false))
        }

        @Test func `a proved error reaches the app as the server's`() async throws {
            let bench = try await Bench.joined()
            _ = try await bench.site.login()
            try await bench.site.tenant.lock(FromSheet.user)
            try await bench.execute()
            await bench.app.wait(for: .serverError(-1101, isAuthenticated: true))
        }

        @Test func `a wrong password is told, and asked for again`() async throws {
            let bench = try await Bench.joined()
            let request = try await bench.site.pinLogin()
            await bench.handset.user.type(FromSheet.wrongPIN)
            let gate = Gate()
            await bench.site.server.next(.holdReply(gate), at: 0x23)
            try await bench.execute()
            await gate.arrival()
            await bench.handset.user.type(FromSheet.pin)
            await gate.open()
            await bench.app.wait(for: .success(.authentication, .accepted, token: false))
            let errors = await bench.app.events.filter {
                if case .passwordError(.authentication, let left) = $0 {
                    (1...4).contains(left ?? -1)
                } else {
                    false
                }
            }
            #expect(errors.count == 1)
            #expect(await bench.site.status(request) == .accepted)
            #expect(await bench.app.events.filter { if case .displayed = $0 { true } else { false } }.count == 1)
        }

        @Test func `only the first decision of a user counts`() async throws {
            let bench = try await Bench.joined()
            await bench.app.prefer(.wait)
            let request = try await bench.site.login()
            try await bench.execute()
            await bench.app.wait { !$0.filter { if case .displayed = $0 { true } else { false } }.isEmpty }
            let caller = try #require(await bench.app.callers.first)
            caller.onDataRejected()
            caller.onDataApproved()
            await bench.app.wait(for: .success(.authentication, .refused, token: false))
            caller.onDataApproved()
            #expect(await bench.site.status(request) == .refused)
            #expect(await bench.site.server.commands(0x23).count == 1)
        }

        // MARK: Abort, in each waiting state

        @Test func `cancelling while a request is fetched`() async throws {
            let bench = try await Bench.joined()
            let request = try await bench.site.login()
            let gate = Gate()
            await bench.site.server.next(.holdReply(gate), at: 0x21)
            async let executing: Void = bench.execute()
            await gate.arrival()
            try await bench.door.cancel()
            await gate.open()
            _ = try await executing
            await bench.app.wait(for: .aborted(.authentication))
            #expect(await bench.site.server.commands(0x23).isEmpty)
            #expect(await bench.site.status(request) == .pending)
        }

        @Test func `cancelling while the user decides`() async throws {
            let bench = try await Bench.joined()
            await bench.app.prefer(.wait)
            let request = try await bench.site.transaction()
            try await bench.execute()
            await bench.app.wait { !$0.filter { if case .displayed = $0 { true } else { false } }.isEmpty }
            try await bench.door.cancel()
            await bench.app.wait(for: .aborted(.transaction))
            try #require(await bench.app.callers.first).onDataApproved()
            #expect(await bench.site.server.commands(0x33).isEmpty)
            #expect(await bench.site.status(request) == .pending)
        }

        @Test func `cancelling while the user authenticates, by the app and by the user`()
            async throws
        {
            let bench = try await Bench.joined()
            let gate = Gate()
            await bench.handset.user.think(at: gate)
            _ = try await bench.site.pinLogin()
            try await bench.execute()
            await gate.arrival()
            try await bench.door.cancel()
            await gate.open()
            await bench.app.wait(for: .aborted(.authentication))
            await bench.handset.user.think(at: nil)
            await bench.handset.user.giveUp()
            _ = try await bench.site.pinLogin()
            try await bench.execute()
            await bench.app.wait { $0.filter { $0 == .aborted(.authentication) }.count == 2 }
            #expect(await bench.site.server.commands(0x23).isEmpty)
        }

        @Test func `an answer under way can't be cancelled`() async throws {
            let bench = try await Bench.joined()
            let gate = Gate()
            await bench.site.server.next(.holdReply(gate), at: 0x23)
            let request = try await bench.site.login()
            try await bench.execute()
            await gate.arrival()
            let error = try await FromSheet.refusal { try await bench.door.cancel() }
            #expect(error.oneSpan == .command(.invalidState))
            await gate.open()
            await bench.app.wait(for: .success(.authentication, .accepted, token: false))
            #expect(await bench.site.status(request) == .accepted)
        }

        @Test func `with nothing running there is nothing to cancel`() async throws {
            let bench = try await Bench.joined()
            let error = try await FromSheet.refusal { try await bench.door.cancel() }
            #expect(error.oneSpan == .command(.invalidState))
        }

        @Test func `time that runs out while the user decides ends the request`() async throws {
            let bench = try await Bench.joined()
            await bench.app.prefer(.wait)
            _ = try await bench.site.login()
            try await bench.execute()
            await bench.app.wait { !$0.filter { if case .displayed = $0 { true } else { false } }.isEmpty }
            while bench.handset.clock.sleepers == 0 { await Task.yield() }
            bench.handset.pass(.seconds(61))
            await bench.app.wait(for: .outdated(.authentication, .expired))
            #expect(await bench.site.server.commands(0x23).isEmpty)
        }

        // MARK: Outdated, for each reason

        @Test(arguments: [
            SessionOutdatedReason.accepted, .refused, .expired, .unknown,
        ])
        func `an outdated session tells its reason`(reason: SessionOutdatedReason) async throws {
            let site = Site()
            let other = try await Handset.joined(site, token: "token-b")
            let bench = try await Bench.joined(site)
            let request = try await site.pinLogin()
            let pushes = try await Handset.pushes(at: site)
            for message in pushes["token-b"] ?? [] {
                _ = try await other.authenticator.receive(message)
            }
            if reason == .expired {
                site.time.advance(by: .seconds(61))
            } else {
                let challenge = try await other.authenticator.challenge(other.id(request))
                if reason == .unknown { await other.user.type(FromSheet.wrongPIN) }
                for _ in 0..<(reason == .unknown ? 3 : 1) {
                    _ = try? await other.authenticator.resolve(
                        challenge, with: reason == .refused ? .deny(.fraud) : .approve)
                }
            }
            let message = try #require(pushes["token-a"]?.first)
            await bench.door.execute(
                try OneSpanNotification.parseOneSpanNotification(message))
            await bench.app.wait(for: .outdated(.authentication, reason))
            #expect(await !bench.app.events.contains { if case .error = $0 { true } else { false } })
        }

        // MARK: Queue

        @Test func `a fifth waiting request displaces the oldest, which is told`() async throws {
            let bench = try await Bench.joined()
            await bench.app.prefer(.wait)
            var requests = [try await bench.site.login()]
            try await bench.execute()
            await bench.app.wait { !$0.filter { if case .displayed = $0 { true } else { false } }.isEmpty }
            for _ in 0..<5 { requests.append(try await bench.site.login()) }
            try await bench.execute()
            #expect(await bench.app.count(.warning(.requestDisplaced)) == 1)
            await bench.app.prefer(.approve)
            try #require(await bench.app.callers.first).onDataApproved()
            let end = App.Event.success(.authentication, .accepted, token: false)
            await bench.app.wait { $0.filter { $0 == end }.count == 5 }
            for (index, request) in requests.enumerated() {
                #expect(await bench.site.status(request) == (index == 1 ? .pending : .accepted))
            }
        }

        @Test func `the same command, running or waiting, is ignored`() async throws {
            let bench = try await Bench.joined()
            await bench.app.prefer(.wait)
            let first = try await bench.site.login()
            let message = try #require(try await bench.handset.pushes().first)
            let one = try OneSpanNotification.parseOneSpanNotification(message)
            await bench.door.execute(one)
            await bench.app.wait { !$0.filter { if case .displayed = $0 { true } else { false } }.isEmpty }
            let second = try await bench.site.login()
            let two = try OneSpanNotification.parseOneSpanNotification(
                try #require(try await bench.handset.pushes().first))
            for command in [one, two, two, one, two] { await bench.door.execute(command) }
            await bench.app.prefer(.approve)
            try #require(await bench.app.callers.first).onDataApproved()
            let end = App.Event.success(.authentication, .accepted, token: false)
            await bench.app.wait { $0.filter { $0 == end }.count == 2 }
            #expect(await bench.site.server.types.suffix(4) == [0x21, 0x23, 0x21, 0x23])
            #expect(await bench.app.callers.count == 2)
            #expect(await bench.site.status(first) == .accepted)
            #expect(await bench.site.status(second) == .accepted)
        }

        @Test func `a request that waited a minute is dropped, and told`() async throws {
            let bench = try await Bench.joined()
            await bench.app.prefer(.wait)
            await bench.site.tenant.configure { $0.sessionTimeout = .seconds(600) }
            _ = try await bench.site.login()
            try await bench.execute()
            await bench.app.wait { !$0.filter { if case .displayed = $0 { true } else { false } }.isEmpty }
            let second = try await bench.site.login()
            try await bench.execute()
            bench.handset.pass(.seconds(61))
            try #require(await bench.app.callers.first).onDataApproved()
            await bench.app.wait(for: .warning(.requestTooOld))
            #expect(await bench.app.callers.count == 1)
            #expect(await bench.site.status(second) == .pending)
        }

        @Test func `deleting a user aborts what runs for them, and erases all`() async throws {
            let bench = try await Bench.joined()
            await bench.app.prefer(.wait)
            let request = try await bench.site.login()
            try await bench.execute()
            await bench.app.wait { !$0.filter { if case .displayed = $0 { true } else { false } }.isEmpty }
            let before = await bench.site.server.types.count
            try await bench.door.deleteUser(bench.knownUser())
            await bench.app.wait(for: .aborted(.authentication))
            #expect(await bench.handset.store.credentials == 0)
            #expect(try await bench.door.users().isEmpty)
            #expect(await bench.site.server.types.count == before)
            #expect(await bench.site.status(request) == .pending)
        }
    }
}
