import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator
import Testing

@testable import push_lab

/// What the checks see of the SDK itself, over its own wire and in its own store.
@Suite struct `What a soak sees of an answer that is kept in part` {
    @Test func `it is asked about, made again, and taken once`() async throws {
        let world = try await PartHarness()
        defer { world.directory.remove() }
        let challenge = try await world.approveInVain()

        let snapshot = try await world.store.snapshot()
        #expect(snapshot.rows[challenge.id.name] == .init(choice: .approve))
        #expect(snapshot.kept[challenge.id.name]?.form == "part")
        #expect(try await world.leaks().isEmpty)

        #expect(try await world.device.resume()[challenge.id] == .verifyAgain)
        let again = try await world.device.challenge(challenge.id)
        #expect(try await world.device.resolve(again, with: .approve) == .delivered)
        #expect(try await world.device.resume() == [:])
        #expect(
            try world.exchanges().compactMap { exchange in
                exchange.isApproval ? "approval: \(exchange.word ?? "")" : exchange.word
            } == [
                "approval: ", "factors_missing", "factors_missing", "approval: user_login",
            ])
        let checks = SoakChecks(try world.exchanges())
        #expect(checks.parts.unaskedApprovals().isEmpty)
        #expect(checks.parts.doubledApprovals().isEmpty)
        #expect(try await world.leaks().isEmpty)
        #expect(try await world.store.snapshot().kept.isEmpty)
    }

    @Test func `a plugin that keeps the PIN's proof is found`() async throws {
        let world = try await PartHarness(speaking: CarelessFormat())
        defer { world.directory.remove() }
        let challenge = try await world.approveInVain()

        #expect(try await world.store.snapshot().kept[challenge.id.name]?.form == "whole")
        #expect(try await world.leaks().map(\.promise) == [.secrets])
    }

    @Test func `a plugin that keeps the PIN's proof of an answer that never left is found`()
        async throws
    {
        let world = try await PartHarness(speaking: CarelessFormat())
        defer { world.directory.remove() }
        _ = try await world.approveInVain()

        // As if the log had nothing of it.
        let found = PartChecks([]).leaks(in: try await world.store.snapshot(), of: [])
        #expect(found.map(\.promise) == [.secrets])
    }

    @Test func `of the logins that are over, the newest are whole, and the others known`()
        async throws
    {
        let world = try await PartHarness()
        defer { world.directory.remove() }
        var denied: [String] = []
        for _ in 0..<18 { denied.append(try await world.deny().name) }

        let snapshot = try await world.store.snapshot()
        #expect(Set(snapshot.rows.keys) == Set(denied.suffix(16)))
        let record = try #require(
            snapshot.records.first { $0.key.hasPrefix("enrollment/") }?.value)
        let read = try RecordedRows(in: record)
        #expect(read.rows.count == 16 && read.traces == 2)
    }

    @Test func `an enrollment's record is read without the SDK, and damage to it is found`()
        async throws
    {
        let world = try await PartHarness()
        defer { world.directory.remove() }
        let challenge = try await world.approveInVain()

        let snapshot = try await world.store.snapshot()
        let (name, record) = try #require(
            snapshot.records.first { $0.key.hasPrefix("enrollment/") })
        let rows = try RecordedRows(in: record).rows
        #expect(rows.map { $0.fields["id"]?["challenge"]?.string } == [challenge.id.name])
        for count in [0, 3, 31, 100, record.count / 2] {
            #expect(throws: PushError.self) { try RecordedRows(in: record.prefix(count)) }
        }

        #expect(SoakChecks.damaged(snapshot).isEmpty)
        try world.damageLargestRecord()
        let found = SoakChecks.damaged(try await world.store.snapshot())
        #expect(found == [Violation(.store, "\(name) is damaged")])
    }
}

/// A device with a manager in the same process, and the log and store that a soak would have.
private struct PartHarness {
    let directory: TemporaryDirectory
    let store: SoakStore
    let device: PushAuthenticator
    private let manager: XignInSimulator

    private var logFile: URL { directory.url.appendingPathComponent("server.log") }

    init(speaking format: some XignInWireFormat = OpenReferenceWireFormat()) async throws {
        directory = try TemporaryDirectory()
        store = SoakStore(in: directory.url)
        try await store.prepare()
        let manager = XignInSimulator(.init(identifier: SoakServer.manager))
        let log = try ServerLog(directory.url.appendingPathComponent("server.log"))
        let transport = SimulatedTransport { request, body in
            let number = await log.arrived(request, body)
            let reply = await manager.respond(to: request, body: body)
            await log.replied(number, reply.response.status.code, reply.body)
            return reply
        }
        let environment = PushEnvironment(
            transport: transport, store: try await store.open(), verifier: SoakUser(),
            device: Device(name: "push-lab"))
        var policies = PushConfiguration()
        policies.backoff.tries = 0
        device = PushAuthenticator(
            try PluginRegistry([
                XignIn(
                    configuration: .init(wireFormat: format, pinIterations: 1), in: environment)
            ]), in: environment, configuration: policies)
        self.manager = manager
        try await device.deviceTokenChanged(.fcm("soak"))
        let offers = try await device.offers(for: manager.invitation(for: "jane"))
        _ = try await device.enroll(#require(offers.first))
    }

    private func receiveLogin() async throws -> Challenge.ID {
        _ = try await manager.startLogin(of: "jane", asking: .confirm)
        let push = try #require(await manager.takePushes().first)
        let reception = try #require(try await device.receive(push.message()).first)
        return try #require(reception.challenge)
    }

    /// Denies a login.
    func deny() async throws -> Challenge.ID {
        let id = try await receiveLogin()
        guard try await device.deny(id) == .delivered else {
            throw PushError(.malformed, "The denial wasn't taken.")
        }
        return id
    }

    /// Approves a login while the manager is in trouble.
    func approveInVain() async throws -> Challenge {
        let challenge = try await device.challenge(receiveLogin())
        await manager.force(status: 503)
        guard case .unknown = try await device.resolve(challenge, with: .approve) else {
            throw PushError(.malformed, "The answer wasn't lost.")
        }
        return challenge
    }

    /// Changes the last byte of the largest file of the store, which is the enrollment's.
    func damageLargestRecord() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
            .filter { $0.contains("/r.") }.map(directory.url.appendingPathComponent)
        var records = try files.map { (file: $0, bytes: try Data(contentsOf: $0)) }
        records.sort { $0.bytes.count < $1.bytes.count }
        guard let (file, bytes) = records.last, let last = bytes.last else { return }
        try (bytes.dropLast() + [last ^ 1]).write(to: file)
    }

    func exchanges() throws -> [ServerExchange] {
        ServerExchange.all(in: try String(contentsOf: logFile, encoding: .utf8))
            .filter { $0.isApproval || $0.word != nil }
    }

    func leaks() async throws -> [Violation] {
        let exchanges = try exchanges()
        let logins: [LoginFacts] = exchanges.compactMap { exchange in
            guard let login = exchange.request.decision?.login else { return nil }
            return LoginFacts(id: login, user: "jane", payload: "", shown: nil, vendor: .part)
        }
        return PartChecks(exchanges).leaks(in: try await store.snapshot(), of: logins)
    }
}

/// OXRW/1, but it calls all of an answer fit to be kept.
private struct CarelessFormat: XignInWireFormat {
    private let format = OpenReferenceWireFormat()

    func answer(
        _ decision: XignInDecision, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) async throws(PushError) -> XignInAnswer {
        let answer = try await format.answer(
            decision, to: announcement, of: account, using: access)
        return XignInAnswer(whole: answer.whole, kept: answer.whole)
    }

    // MARK: As it should be

    func candidate(in message: PushMessage) -> XignInCandidate? { format.candidate(in: message) }

    func invitation(
        in text: Secret, allowsPlainHTTP: Bool
    ) throws(PushError) -> XignInInvitation? {
        try format.invitation(in: text, allowsPlainHTTP: allowsPlainHTTP)
    }

    func record(
        for personalization: XignInPersonalization, using access: XignInAccess
    ) async throws(PushError) -> Secret {
        try await format.record(for: personalization, using: access)
    }

    func activate(
        _ account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInActivation> {
        try await format.activate(account, using: access)
    }

    func setDeviceToken(
        _ deviceToken: DeviceToken?, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        try await format.setDeviceToken(deviceToken, of: account, using: access)
    }

    func endActivation(
        _ account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        try await format.endActivation(account, using: access)
    }

    func discard(_ record: Secret, using access: XignInAccess) async {
        await format.discard(record, using: access)
    }

    func initialization(
        for announcement: Announcement, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticationInitializationData> {
        try await format.initialization(for: announcement, of: account, using: access)
    }

    func start(
        _ data: AuthenticationInitializationData, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticateRequest> {
        try await format.start(data, of: account, using: access)
    }

    func send(
        _ answer: Secret, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInVerdict> {
        try await format.send(answer, to: announcement, of: account, using: access)
    }
}
