import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

@testable import push_lab

/// Each plants what must never become of an answer that is kept in part, or what may.
@Suite struct `The checks of a soak's answers that are kept in part` {
    // MARK: The log

    private func arrival(_ number: Int, _ request: ServerExchange.Request) -> String {
        var line = request.json
        line["exchange"] = .number(JSON.Number(Int64(number)))
        return JSON.object(line).text + "\n"
    }

    private func reply(_ number: Int, _ word: String) -> String {
        #"{"exchange":\#(number),"status":200,"word":"\#(word)"}"# + "\n"
    }

    /// A log of requests about the login `l`, each replied to before the next came; an empty word
    /// for no reply.
    private func checks(_ steps: [(ServerExchange.Request, String)]) -> SoakChecks {
        let lines = steps.enumerated().map { index, step in
            arrival(index, step.0) + (step.1.isEmpty ? "" : reply(index, step.1))
        }
        return SoakChecks(ServerExchange.all(in: lines.joined()))
    }

    private func approval(_ name: String) -> ServerExchange.Request {
        .approval(.init(login: "l", name: name), proof: "cHJvb2Y-\(name)")
    }

    private func question(_ name: String) -> ServerExchange.Request {
        .question(.init(login: "l", name: name))
    }

    private let denial = ServerExchange.Request.answer(login: "l", .deny)

    private func login(_ status: String = "approved") -> LoginFacts {
        var login = LoginFacts(id: "l", user: "jane", payload: "{}", shown: nil, vendor: .xignin)
        login.names = .init(mechanism: "m", challenge: "c")
        login.status = status
        return login
    }

    private func snapshot(_ choice: Choice, _ outcome: String) -> StoreSnapshot {
        StoreSnapshot(rows: ["c": .init(choice: choice, outcome: outcome)])
    }

    // MARK: One decision

    @Test func `find an approval that was made again before anyone asked`() {
        let checks = checks([(approval("a"), ""), (approval("b"), "user_login")])
        #expect(checks.parts.unaskedApprovals().map(\.promise) == [.asked])
    }

    @Test(arguments: ["", "user_login", "internal"])
    func `find an approval that was made again though nobody said that it must be`(word: String) {
        let checks = checks([
            (approval("a"), ""), (question("a"), word), (approval("b"), "process_finished"),
        ])
        #expect(checks.parts.unaskedApprovals().map(\.promise) == [.asked])
    }

    @Test func `find an approval that was made again before the reply to the question`() {
        let log =
            arrival(1, approval("a")) + arrival(2, question("a")) + arrival(3, approval("b"))
            + reply(2, "factors_missing")
        let checks = SoakChecks(ServerExchange.all(in: log))
        #expect(checks.parts.unaskedApprovals().map(\.promise) == [.asked])
    }

    @Test func `allow an approval that was made again after the manager had judged none`() {
        let checks = checks([
            (approval("a"), ""), (question("a"), "factors_missing"), (approval("b"), ""),
            (question("b"), "factors_missing"), (approval("c"), "user_login"),
        ])
        #expect(checks.parts.unaskedApprovals().isEmpty)
        #expect(checks.parts.doubledApprovals().isEmpty)
        #expect(checks.lostDecisions([login()], snapshot(.approve, "taken")).isEmpty)
    }

    @Test func `find two approvals that were taken`() {
        let checks = checks([
            (approval("a"), "user_login"), (question("a"), "factors_missing"),
            (approval("b"), "user_login"),
        ])
        #expect(checks.parts.doubledApprovals().map(\.promise) == [.oneDecision])
    }

    @Test func `allow a verdict that is told twice`() {
        let checks = checks([(approval("a"), "user_login"), (question("a"), "user_login")])
        #expect(checks.parts.doubledApprovals().isEmpty)
        #expect(checks.lostDecisions([login()], snapshot(.approve, "taken")).isEmpty)
    }

    @Test(arguments: ["", "user_login", "factors_missing"])
    func `find a denial after an approval that may have been taken`(word: String) {
        let checks = checks([(approval("a"), word), (denial, "rejected")])
        #expect(checks.doubledDecisions().map(\.promise) == [.oneDecision])
    }

    @Test func `allow a denial after a mistyped PIN, and after what came before that`() {
        let checks = checks([
            (approval("a"), ""), (question("a"), "factors_missing"), (approval("b"), "lockout"),
            (denial, "rejected"),
        ])
        #expect(checks.doubledDecisions().isEmpty)
        #expect(checks.lostDecisions([login("denied")], snapshot(.deny, "taken")).isEmpty)
    }

    @Test func `find a denial after an approval that came after the mistyped one`() {
        let checks = checks([
            (approval("a"), "lockout"), (approval("b"), ""), (question("a"), "lockout"),
            (denial, "rejected"),
        ])
        #expect(checks.doubledDecisions().map(\.promise) == [.oneDecision])
    }

    // MARK: Delivery

    @Test func `allow nobody to know which of two approvals the manager took`() {
        let taken = checks([
            (approval("a"), "user_login"), (approval("b"), "process_finished"),
        ])
        #expect(taken.lostDecisions([login()], snapshot(.approve, "unknown")).isEmpty)
    }

    @Test(arguments: ["", "lockout", "process_finished", "factors_missing"])
    func `find an approval that ended as unknown, or as taken, and wasn't taken`(word: String) {
        let checks = checks([(approval("a"), word)])
        for outcome in ["unknown", "taken"] {
            let found = checks.lostDecisions([login()], snapshot(.approve, outcome))
            #expect(found.map(\.promise) == [.delivery])
        }
    }

    @Test func `find a question that is taken for the approval it asks about`() {
        var login = login()
        login.kept = [.approve]
        let found = checks([(question("a"), "factors_missing")])
            .lostDecisions([login], snapshot(.approve, "taken"))
        #expect(found.map(\.promise) == [.delivery, .delivery])
    }

    // MARK: Secrets

    @Test func `find a PIN and its proof in any record`() {
        let checks = checks([(approval("a"), "")])
        func found(_ record: Data) -> [Violation] {
            checks.parts.leaks(
                in: StoreSnapshot(records: ["credential/xignin/x": record]), of: [login()])
        }
        #expect(found(Data("[\(SoakUser.pin)]".utf8)).map(\.promise) == [.secrets])
        #expect(found(Data("[cHJvb2Y-a]".utf8)).map(\.promise) == [.secrets])
        #expect(found(Data([0, 0x70, 0x72, 0x6F, 0x6F, 0x66, 0x3E, 0x6A])).isEmpty)
        #expect(found(Data("[cHJvb2Y-b]".utf8)).isEmpty)
    }
}

/// What the checks see of the SDK itself, over its own wire and in its own store.
@Suite struct `What a soak sees of an answer that is kept in part` {
    @Test func `it is asked about, made again, and taken once`() async throws {
        let world = try await PartWorld()
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
        let world = try await PartWorld(speaking: CarelessFormat())
        defer { world.directory.remove() }
        let challenge = try await world.approveInVain()

        #expect(try await world.store.snapshot().kept[challenge.id.name]?.form == "whole")
        #expect(try await world.leaks().map(\.promise) == [.secrets])
    }

    @Test func `a plugin that keeps the PIN's proof of an answer that never left is found`()
        async throws
    {
        let world = try await PartWorld(speaking: CarelessFormat())
        defer { world.directory.remove() }
        _ = try await world.approveInVain()

        // As if the log had nothing of it.
        let found = PartChecks([]).leaks(in: try await world.store.snapshot(), of: [])
        #expect(found.map(\.promise) == [.secrets])
    }
}

/// A device with a manager in the same process, and the log and store that a soak would have.
private struct PartWorld {
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
        let environment = Environment(
            transport: transport, store: try await store.open(), verifier: SoakUser(),
            device: Device(name: "push-lab"))
        var policies = Policies()
        policies.backoff.tries = 0
        device = PushAuthenticator(
            try PluginRegistry([
                XignIn(
                    configuration: .init(wireFormat: format, pinIterations: 1), in: environment)
            ]), in: environment, policies: policies)
        self.manager = manager
        try await device.deviceTokenChanged(.fcm("soak"))
        let offers = try await device.offers(for: manager.invitation(for: "jane"))
        _ = try await device.enroll(#require(offers.first))
    }

    /// Approves a login while the manager is in trouble.
    func approveInVain() async throws -> Challenge {
        _ = try await manager.startLogin(of: "jane", asking: .confirm)
        let push = try #require(await manager.takePushes().first)
        let reception = try #require(try await device.receive(push.message()).first)
        let challenge = try await device.challenge(#require(reception.challenge))
        await manager.force(status: 503)
        guard case .unknown = try await device.resolve(challenge, with: .approve) else {
            throw PushError(.malformed, "The answer wasn't lost.")
        }
        return challenge
    }

    func exchanges() throws -> [ServerExchange] {
        ServerExchange.all(in: try String(contentsOf: logFile, encoding: .utf8))
            .filter { $0.isApproval || $0.word != nil }
    }

    func leaks() async throws -> [Violation] {
        let exchanges = try exchanges()
        let logins: [LoginFacts] = exchanges.compactMap { exchange in
            guard let login = exchange.request.decision?.login else { return nil }
            return LoginFacts(id: login, user: "jane", payload: "", shown: nil, vendor: .xignin)
        }
        return PartChecks(exchanges).leaks(in: try await store.snapshot(), of: logins)
    }
}

/// OXRW/1, but it calls all of an answer fit to be kept.
private struct CarelessFormat: XignInWireFormat {
    private let format = OpenReferenceWireFormat()

    func answer(
        _ decision: XignInDecision, to announcement: Announcement, using access: XignInAccess
    ) async throws(PushError) -> XignInAnswer {
        let answer = try await format.answer(decision, to: announcement, using: access)
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
        _ enrollment: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInActivation> {
        try await format.activate(enrollment, using: access)
    }

    func setDeviceToken(
        _ deviceToken: DeviceToken?, of enrollment: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        try await format.setDeviceToken(deviceToken, of: enrollment, using: access)
    }

    func endActivation(
        _ enrollment: Enrollment.ID, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        try await format.endActivation(enrollment, using: access)
    }

    func discard(_ record: Secret, using access: XignInAccess) async {
        await format.discard(record, using: access)
    }

    func initialization(
        of announcement: Announcement, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticationInitializationData> {
        try await format.initialization(of: announcement, using: access)
    }

    func start(
        _ data: AuthenticationInitializationData, of enrollment: Enrollment.ID,
        using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticateRequest> {
        try await format.start(data, of: enrollment, using: access)
    }

    func send(
        _ answer: Secret, to announcement: Announcement, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInVerdict> {
        try await format.send(answer, to: announcement, using: access)
    }
}
