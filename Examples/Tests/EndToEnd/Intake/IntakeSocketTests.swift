import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushPlatform
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// The intakes over sockets, with clients that know nothing of them but their credentials.
struct IntakeSocketTests {
    private let random = SeededRandom(seed: 5)
    private let address = IntakeAddress(argument: "127.0.0.1:0")

    /// Runs a test with an intake that listens, and ends it after.
    private func listen(
        _ intake: some Intake, _ taker: @escaping PushTaker,
        test: (_ place: JSON.Object) async throws -> Void
    ) async throws {
        let place = try await intake.start(taker)
        do {
            try await test(place)
            await intake.stop()
        } catch {
            await intake.stop()
            throw error
        }
    }

    private func inCredentials(
        _ test: (CredentialsDirectory) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try await test(try CredentialsDirectory(directory.url.path))
    }

    private func server(_ identity: LocalIdentity? = nil) throws -> IntakeServer {
        IntakeServer(address: try #require(address), identity: identity)
    }

    // MARK: HTTP

    private func httpIntake(_ patience: Duration = .seconds(10)) throws -> HTTPIntake {
        var server = try server()
        server.patience = patience
        return HTTPIntake(server, secret: Secret("0123456789abcdef".utf8))
    }

    private func post(
        _ body: Data, to place: JSON.Object, secret: String = "0123456789abcdef"
    ) async throws -> (status: Int, body: JSON?) {
        let transport = SystemTransport(.init(plainHTTP: .loopbackOnly))
        let (response, reply) = try await transport.send(
            try Endpoint(place["url"]?.string ?? "").request(
                .post,
                headers: [.contentType: "application/json", .authorization: "Bearer \(secret)"]),
            body: body)
        return (response.status.code, try? JSON(parsing: reply))
    }

    @Test func `a push over HTTP is taken, and its sender hears the verdict`() async throws {
        let recorder = Recorder()
        try await listen(try httpIntake(), recorder.taker) { place in
            let good = try await post(Data(#"{"a":"b"}"#.utf8), to: place)
            #expect(good.status == 202)
            #expect(good.body == ["verdict": "taken", "events": 1])
            #expect(await recorder.next()?.message.content == ["a": "b"])
            #expect(
                try await post(Data("{}".utf8), to: place, secret: "wrong secret").status == 401)
            let large = Data(repeating: 0x20, count: 64 << 10) + Data("{}".utf8)
            #expect(try await post(large, to: place).status == 413)
        }
    }

    @Test func `clients that are too slow are cut off`() async throws {
        try await listen(try httpIntake(.milliseconds(200)), Recorder().taker) { place in
            let port = try #require(URL(string: place["url"]?.string ?? "")?.port)
            let head = "POST /push HTTP/1.1\r\nHost: x\r\n"
            for text in ["", head, head + "Content-Length: 10\r\n\r\n{\"a\""] {
                #expect(
                    await SlowClient.exchange(with: port, text)?.hasPrefix("HTTP/1.1 2") == false)
            }
        }
    }

    @Test func `a client that never finishes its handshake is cut off`() async throws {
        try await inCredentials { directory in
            let key = try directory.providerKey(random: random)
            let vouched = try await directory.identities(for: "127.0.0.1", key)
            var server = try server(vouched.server)
            server.patience = .milliseconds(200)
            let running = try await server.start { _ in { _ in { _, _ in nil } } }
            #expect(await SlowClient.exchange(with: running.port, "") == "")
            await running.stop()
        }
    }

    @Test func `a port that is taken is named, with what to do`() async throws {
        let other = try await LocalServer.start { _, _ in nil }
        let taken = try #require(IntakeAddress(argument: other.authority))
        let intake = HTTPIntake(
            IntakeServer(address: taken, identity: nil), secret: Secret([1]))
        let failure = await #expect(throws: Failure.self) {
            try await intake.start(Recorder().taker)
        }
        #expect(failure?.text.contains("\(other.port)") == true)
        #expect(failure?.advice?.contains("0") == true)
        await other.stop()
    }

    @Test func `a host that isn't this machine is named`() async throws {
        let address = try #require(IntakeAddress(argument: "192.0.2.1:0"))
        let intake = HTTPIntake(
            IntakeServer(address: address, identity: nil), secret: Secret([1]))
        let failure = await #expect(throws: Failure.self) {
            try await intake.start(Recorder().taker)
        }
        #expect(failure?.text.contains("192.0.2.1") == true)
    }

    // MARK: FCM

    private func fcmIntake(
        _ directory: CredentialsDirectory, token: String
    ) async throws -> FCMIntake {
        FCMIntake(
            try server(), credentials: directory,
            account: try await IntakeFixture.account, token: token,
            random: random)
    }

    private func send(
        _ payload: String, to token: DeviceToken, by directory: CredentialsDirectory
    ) async -> String {
        await PushSender(directory: URL(fileURLWithPath: directory.directory), waiting: { _ in })
            .send(SimulatedPush(to: token, payload: Data(payload.utf8))).words
    }

    @Test func `a server that has the key file sends as it would to Google`() async throws {
        try await inCredentials { directory in
            let recorder = Recorder()
            let intake = try await fcmIntake(directory, token: "device")
            try await listen(intake, recorder.taker) { _ in
                let fate = await send(
                    #"{"a":"b","n":1}"#, to: .fcm("device"), by: directory)
                #expect(fate == "taken by FCM")
                #expect(await recorder.next()?.message.content == ["a": "b", "n": "1"])
                let other = await send(
                    "{}", to: .fcm(String(repeating: "s", count: 150)), by: directory)
                #expect(other == "refused by FCM: 404 NOT_FOUND")
            }
        }
    }

    @Test func `the sender hears at once, however long the answer takes`() async throws {
        try await inCredentials { directory in
            let gate = Event()
            let intake = try await fcmIntake(directory, token: "device")
            let taker: PushTaker = { _ in
                TakenPush(.taken(1)) { await gate.wait() }
            }
            try await listen(intake, taker) { _ in
                let fate = await send("{}", to: .fcm("device"), by: directory)
                #expect(fate == "taken by FCM")
                gate.happen()
            }
        }
    }

    @Test(arguments: [
        (PushVerdict.refused(.storage), "refused by FCM: 503 UNAVAILABLE"),
        (.refused(.unreachable), "refused by FCM: 503 UNAVAILABLE"),
        (.refused(.untrusted), "taken by FCM"), (.foreign, "taken by FCM"),
    ])
    func `Google's service refuses what can't be kept, and looks into nothing`(
        verdict: PushVerdict, fate: String
    ) async throws {
        try await inCredentials { directory in
            let intake = try await fcmIntake(directory, token: "device")
            try await listen(intake, { _ in TakenPush(verdict) }) { _ in
                #expect(await send("{}", to: .fcm("device"), by: directory) == fate)
            }
        }
    }

    @Test(arguments: [true, false])
    func `what can't be kept just now is sent again, as Google's and Apple's clients do`(
        isFCM: Bool
    ) async throws {
        try await inCredentials { directory in
            let pushes = Pushes(failing: 2)
            let taker: PushTaker = { _ in TakenPush(await pushes.next()) }
            let (pauses, source) = AsyncStream<Duration>.makeStream()
            let sender = PushSender(
                directory: URL(fileURLWithPath: directory.directory),
                waiting: { source.yield($0) })
            let token =
                isFCM
                ? DeviceToken.fcm("device")
                : .apns(hex: String(repeating: "0a", count: 32), isSandbox: false)
            func test(_ place: JSON.Object) async throws {
                let push = SimulatedPush(to: token, payload: Data("{}".utf8))
                #expect(await sender.send(push).words.hasPrefix("taken by"))
                await pushes.fail(.max)
                let fate = await sender.send(push)
                #expect(fate.reason == .unavailable, "\(fate.words)")
                #expect(fate.reason?.advice.contains("store") == true)
            }
            if isFCM {
                try await listen(try await fcmIntake(directory, token: "device"), taker, test: test)
            } else {
                try await listen(try await apnsIntake(directory), taker, test: test)
            }
            source.finish()
            // Google's service says how long, Apple's doesn't.
            let expected: [Duration] =
                isFCM
                ? [10, 10, 10, 10, 10].map { .seconds($0) } : [1, 2, 1, 2, 4].map { .seconds($0) }
            #expect(await pauses.reduce(into: []) { $0.append($1) } == expected)
        }
    }

    /// Verdicts on pushes, of which the next ones fail.
    private actor Pushes {
        private var failing: Int

        init(failing: Int) {
            self.failing = failing
        }

        func fail(_ count: Int) { failing = count }

        func next() -> PushVerdict {
            guard failing > 0 else { return .taken(1) }
            failing -= 1
            return .refused(.storage)
        }
    }

    // MARK: APNs

    @Test(arguments: [
        (PushVerdict.refused(.storage), "refused by APNs: 503 ServiceUnavailable"),
        (.refused(.unreachable), "refused by APNs: 503 ServiceUnavailable"),
        (.refused(.untrusted), "taken by APNs"), (.foreign, "taken by APNs"),
    ])
    func `Apple's service refuses what can't be kept, and looks into nothing`(
        verdict: PushVerdict, fate: String
    ) async throws {
        try await inCredentials { directory in
            let intake = try await apnsIntake(directory)
            let token = DeviceToken.apns(hex: String(repeating: "0a", count: 32), isSandbox: false)
            try await listen(intake, { _ in TakenPush(verdict) }) { _ in
                #expect(await send("{}", to: token, by: directory) == fate)
            }
        }
    }

    private func apnsIntake(_ directory: CredentialsDirectory) async throws -> APNsIntake {
        let key = try directory.providerKey(random: random)
        let vouched = try await directory.identities(for: "127.0.0.1", key)
        try directory.keep(Data(vouched.authority.utf8), in: .authority)
        return APNsIntake(
            try server(vouched.server), credentials: directory,
            endpoint: APNsEndpoint(
                key: key, token: String(repeating: "0a", count: 32), random: random),
            trust: vouched.trust)
    }

    @Test func `a server that has the key sends as it would to Apple, by HTTP/2`() async throws {
        try await inCredentials { directory in
            let recorder = Recorder()
            try await listen(try await apnsIntake(directory), recorder.taker) { _ in
                let token = DeviceToken.apns(
                    hex: String(repeating: "0a", count: 32), isSandbox: false)
                let fate = await send(#"{"aps":{},"a":1}"#, to: token, by: directory)
                #expect(fate == "taken by APNs")
                #expect(await recorder.next()?.message.content == ["aps": [:], "a": 1])
                let stranger = DeviceToken.apns(
                    hex: String(repeating: "0b", count: 32), isSandbox: false)
                #expect(
                    await send("{}", to: stranger, by: directory)
                        == "refused by APNs: 410 Unregistered")
                let large = #"{"a":"\#(String(repeating: "x", count: 70_000))"}"#
                #expect(
                    await send(large, to: token, by: directory)
                        == "refused by APNs: 413 PayloadTooLarge")
            }
        }
    }
}
