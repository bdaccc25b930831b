import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// One life of a process, from its start until it is killed: a clock, a cord, an authenticator.
///
/// The server, the network and the store are its harness's, and outlive it.
struct Life {
    let cord: Cord
    let clock: ManualClock
    let environment: PushEnvironment
    let authenticator: PushAuthenticator

    /// Kills the process: nothing it does has an effect from now on.
    func kill() async { await cord.cut() }
}

extension AuthenticatorHarness {
    /// Starts a process.
    ///
    /// - Parameters:
    ///   - options: Its Acme.
    ///   - name: The process, whose former life's work it takes up at once.
    ///   - clock: Its clock; by default a new one that shows what the harness's shows.
    ///   - store: Its store; by default the harness's.
    ///   - change: What is different from the quiet configuration.
    /// - Returns: The process.
    /// - Throws: What making its authenticator throws.
    func life(
        _ options: Acme.Options = .init(), named name: String = "app", clock: ManualClock? = nil,
        store: (any CredentialStore)? = nil,
        _ change: (inout PushConfiguration) -> Void = { _ in }
    ) throws -> Life {
        var configuration = AuthenticatorHarness.quiet
        configuration.instance = name
        change(&configuration)
        let clock = clock ?? ManualClock(self.clock.now)
        let cord = Cord()
        let environment = PushEnvironment(
            transport: CordedTransport(cord: cord, behind: transport),
            store: CordedStore(cord: cord, behind: store ?? self.environment.store),
            verifier: verifier,
            clock: clock, random: SeededRandom(seed: 2), device: Device(name: "test"),
            observer: observer)
        let registry = try PluginRegistry([Acme("acme", options, in: environment)])
        let authenticator = PushAuthenticator(
            registry, in: environment, configuration: configuration)
        return Life(
            cord: cord, clock: clock, environment: environment, authenticator: authenticator)
    }
}

/// What ties a process to the harness. It is cut where SIGKILL would strike.
actor Cord {
    /// Something a process does to the harness.
    enum Effect: Hashable {
        /// It changes a record of a collection.
        case write(String)
        /// It sends a request to a path.
        case send(String)
    }

    /// When the process dies: before an effect, or after it, before it can know of it.
    enum Moment: CaseIterable { case before, after }

    private(set) var effects: [Effect] = []
    private(set) var isCut = false
    private var plan: (@Sendable (Int, Effect) -> Moment?)?

    func cut() { isCut = true }

    /// Cuts at the next effect of this kind.
    func cut(_ moment: Moment, _ effect: Effect) {
        plan = { $1 == effect ? moment : nil }
    }

    /// Cuts at an effect from now on, by its number from 0.
    func cut(_ moment: Moment, number: Int) {
        let first = effects.count
        plan = { position, _ in position == first + number ? moment : nil }
    }

    /// Lets an effect happen, or not.
    func pass<Value: Sendable>(
        _ effect: Effect, _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try check()
        let moment = plan?(effects.count, effect)
        effects.append(effect)
        if moment == .before { isCut = true }
        try check()
        if moment == .after { isCut = true }
        let value = try await body()
        try check()
        return value
    }

    func check() throws(PushError) {
        if isCut { throw PushError(.storage, "The process was killed.") }
    }
}

struct CordedStore: CredentialStore {
    let cord: Cord
    let behind: any CredentialStore

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await cord.check()
        return try await behind.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await cord.pass(.write(key.collection)) { () async throws(PushError) in
            try await behind.write(value, for: key, replacing: revision, waits: waits)
        }
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        try await cord.pass(.write(key.collection)) { () async throws(PushError) in
            try await behind.discard(key)
        }
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await cord.check()
        return try await behind.names(
            in: collection, waiting: waiting, after: name, limit: limit)
    }
}

struct CordedTransport: Transport {
    let cord: Cord
    let behind: any Transport

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        try await cord.pass(.send(request.path ?? "")) { () async throws(PushError) in
            try await behind.send(request, body: body)
        }
    }
}

/// Waits until something holds that happens in the background; an issue if it never does.
func eventually(
    _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation,
    _ holds: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while try await !holds() {
        guard ContinuousClock.now < end else {
            Issue.record(comment, sourceLocation: sourceLocation)
            throw PushError(.cancelled, "It never came.")
        }
        try await Task.sleep(for: .milliseconds(1))
    }
}

extension HTTPResponse {
    /// A reply of a server that wants to be left alone, with its own time.
    static func busy(_ status: Int = 429, retryAfter: String, date: Date? = nil) -> HTTPResponse {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.retryAfter] = retryAfter
        response.headerFields[.date] = date.map(AcmeService.httpDate)
        return response
    }
}

extension AcmeService {
    /// What was answered to a challenge, in order.
    func choices(for id: String = "1") -> [String] {
        answers.filter { $0["id"]?.string == id }.compactMap { $0["choice"]?.string }
    }
}

extension Reception {
    /// Whether it is a challenge that waits for an answer.
    var isWaiting: Bool {
        if case .notice = kind { true } else { false }
    }
}
