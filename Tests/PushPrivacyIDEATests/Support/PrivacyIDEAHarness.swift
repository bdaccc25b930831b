import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// One app: all of it is real but the vendor, the time and the storage. Nothing asks the vendor but what
/// a test does.
struct PrivacyIDEAHarness<Server: Sendable>: ProviderHarness {
    /// What may be another than usual.
    struct Setup {
        var change: (inout PrivacyIDEA.Configuration) -> Void = { _ in }

        /// The examples' keys that its tokens get, in order; the last one again and again.
        var keys = ["device", "otherDevice"]
        var asksAfterPush = false
        var store = InMemoryStore()
        var clock = ManualClock(Sample.now)
    }

    /// The server whose codes a test's app scans first.
    let server: Server

    /// The one at `other.example.com`, unless one script is for all hosts.
    let other: Server
    let store: InMemoryStore
    let reads: CountingStore
    let clock: ManualClock
    let observer = RecordingObserver()
    let verifier = ScriptedVerifier.willing()
    let faults = FaultPlan()
    let transport: SimulatedTransport
    let environment: PushEnvironment
    let provider: PrivacyIDEA
    let authenticator: PushAuthenticator
    let vectors: Vectors

    init(
        at server: Server, _ other: Server, _ setup: Setup,
        _ answering: @escaping SimulatedTransport.Server
    ) throws {
        let vectors = try Vectors()
        (self.server, self.other, self.vectors) = (server, other, vectors)
        (store, clock) = (setup.store, setup.clock)
        transport = SimulatedTransport(faults: faults, server: answering)
        reads = CountingStore(store)
        environment = PushEnvironment(
            transport: transport, store: reads, verifier: verifier, clock: clock,
            device: Device(name: "Pixel 8", platform: .android), observer: observer)
        var configuration = PrivacyIDEA.Configuration()
        setup.change(&configuration)
        let keys = KeyQueue(try setup.keys.map { try vectors.key($0).deviceKey() })
        provider = PrivacyIDEA(
            configuration: configuration,
            keys: DeviceKeySource { (_) async throws(PushError) in try await keys.next() },
            in: environment)
        var policies = PushConfiguration()
        policies.asksAfterPush = setup.asksAfterPush
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: policies)
    }

    /// Scans a code.
    @discardableResult
    func enroll(_ code: String) async throws -> Enrollment {
        try await enroll(.scanned(text: code))
    }
}

/// What the tests' apps have in common.
enum Sample {
    /// 22 November 2026, 12:00 UTC.
    static let now = Date(timeIntervalSince1970: 1_795_348_800)

    static let token = DeviceToken.fcm("dA1:APA91b_x-Y")
}

/// Keys, handed out in order; the last one again and again.
private actor KeyQueue {
    private var keys: [DeviceKey]

    init(_ keys: [DeviceKey]) { self.keys = keys }

    func next() throws(PushError) -> DeviceKey {
        guard let first = keys.first else {
            throw PushError(.notFound, "The test has no more keys.")
        }
        return keys.count > 1 ? keys.removeFirst() : first
    }
}

extension PrivacyIDEAHarness {
    /// Goes on until two lists in a row, some seconds apart, have said that a decided challenge is over.
    func twiceResumed(_ id: Challenge.ID) async throws -> Outcome? {
        for _ in 1...3 {
            _ = try await authenticator.resume()
            if case .answered(_, let outcome) = try await authenticator.record(of: id)?.state {
                return outcome
            }
            clock.advance(by: .seconds(5))
        }
        return nil
    }

    /// Lets time pass once something waits for it.
    func passing<Value: Sendable>(
        _ time: Duration, while body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let work = Task { try await body() }
        while clock.sleepers == 0 { try await Task.sleep(for: .milliseconds(1)) }
        clock.advance(by: time)
        return try await work.value
    }
}
