import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

// snippet: transport
/// Answers by path, and is unreachable elsewhere.
struct TableTransport: Transport {
    let replies: [String: Data]

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        guard let reply = replies[request.path ?? "/"] else {
            throw PushError(.unreachable, "Nothing answers at this path.")
        }
        return (HTTPResponse(status: .ok), reply)
    }
}
// end snippet

// snippet: store
/// Keeps records in memory. A write wins only over the revision that its writer has read.
actor DictionaryStore: CredentialStore {
    private var records: [RecordKey: (value: Secret, revision: Revision)] = [:]
    private var last: UInt64 = 0

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        records[key]
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        guard records[key]?.revision == revision else {
            throw PushError(.conflict, "Another writer was first.")
        }
        last += 1
        records[key] = value.map { ($0, Revision(last)) }
        return records[key]?.revision
    }

    /// Nothing gets damaged in memory.
    func discard(_ key: RecordKey) async throws(PushError) {
        if records[key] != nil { throw PushError(.conflict, "The record isn't damaged.") }
    }

    /// All names: it keeps no marks.
    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let keys = records.keys.filter { $0.collection.utf8.elementsEqual(collection.utf8) }
        return NamePage(of: keys.map(\.name), after: name, limit: limit)
    }
}
// end snippet

// snippet: verifier
/// A user who knows a PIN, and gives it wherever a PIN will do.
struct PINVerifier: UserVerifier {
    let pin: Secret

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        guard request.alternatives.contains([.pin]) else {
            throw PushError(.verificationFailed, "This user has nothing but a PIN.")
        }
        return [.pin(pin)]
    }
}
// end snippet

// snippet: guard
/// Keeps what it seals in a drawer, under a name that tells nothing of it.
actor DrawerGuard: KeyGuard {
    private var drawer: [Data: Secret] = [:]

    func seal(_ part: Secret, under policy: GuardPolicy) async throws(PushError) -> Secret {
        let name = SystemRandom().bytes(16)
        drawer[name.withBytes { Data($0) }] = part
        return name
    }

    func open(
        _ sealed: [Secret], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [Secret] {
        let parts = sealed.compactMap { drawer[$0.withBytes { Data($0) }] }
        guard parts.count == sealed.count else { throw PushError(.guardLost, "It was emptied.") }
        return parts
    }

    func discard(_ sealed: Secret) async { drawer[sealed.withBytes { Data($0) }] = nil }
}
// end snippet

// snippet: clock
/// A clock that stands still. Whatever waits for it goes on at once.
struct StoppedClock: PushClock {
    let now: Date
    let elapsed = Duration.zero
    let serverTime = ServerTime()

    func sleep(for duration: Duration) async {}
}
// end snippet

// snippet: observer
/// Counts what was refused and what was odd, by kind.
final class CountingObserver: PushObserver {
    private let (stream, continuation) = AsyncStream.makeStream(of: PushObservation.self)

    func observe(_ observation: PushObservation) { continuation.yield(observation) }

    /// Ends the count.
    func counts() async -> [PushObservation.Kind: Int] {
        continuation.finish()
        return await stream.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
    }
}
// end snippet

/// The fakes that the documentation shows do what their seams promise.
struct SeamFakeTests {
    @Test func `the transport answers where it can, and reaches nothing elsewhere`() async throws {
        let transport = TableTransport(replies: ["/a": Data("1".utf8)])
        let request = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: "/a")
        let (response, body) = try await transport.send(request, body: Data())
        #expect(response.status == .ok)
        #expect(body == Data("1".utf8))
        var other = request
        other.path = "/b"
        await #expect { try await transport.send(other, body: Data()) } throws: {
            ($0 as? PushError)?.code == .unreachable
        }
    }

    @Test func `the store conforms`() async {
        #expect(await CredentialStoreConformance(DictionaryStore()).check() == [])
    }

    @Test func `the verifier gives a PIN where one will do, and refuses otherwise`() async throws {
        let verifier = PINVerifier(pin: Secret("1234".utf8))
        let purpose = VerificationRequest.Purpose.manage(Enrollment.ID("a", of: "acme"), "A test.")
        let evidence = try await verifier.verify(
            VerificationRequest(purpose, alternatives: [[.biometry], [.pin]]))
        guard case .pin(let pin)? = evidence.first else {
            Issue.record("It gave no PIN.")
            return
        }
        #expect(pin.withBytes { Array($0) } == Array("1234".utf8))
        await #expect {
            try await verifier.verify(VerificationRequest(purpose, alternatives: [[.biometry]]))
        } throws: { ($0 as? PushError)?.code == .verificationFailed }
    }

    @Test func `the guard opens what it sealed, until that is discarded`() async throws {
        let drawer = DrawerGuard()
        let parts = [Secret("one".utf8), Secret("two".utf8)]
        var sealed: [Secret] = []
        for part in parts { sealed.append(try await drawer.seal(part, under: .presence)) }
        let purpose = VerificationRequest.Purpose.manage(Enrollment.ID("a", of: "acme"), "A test.")
        let opened = try await drawer.open(sealed, for: purpose, title: nil)
        #expect(opened.map { $0.copiedText() } == ["one", "two"])
        await drawer.discard(sealed[0])
        #expect(
            await code { try await drawer.open(sealed, for: purpose, title: nil) } == .guardLost)
    }

    @Test func `an authenticator runs on the fakes, and its observer counts what it refused`()
        async throws
    {
        let observer = CountingObserver()
        let environment = PushEnvironment(
            transport: TableTransport(replies: [:]), store: DictionaryStore(),
            verifier: PINVerifier(pin: Secret("1234".utf8)),
            clock: StoppedClock(now: Date(timeIntervalSince1970: 1_767_225_600)),
            device: Device(name: "Phone", platform: .apple), observer: observer)
        let authenticator = PushAuthenticator(
            try PluginRegistry([Acme(in: environment)]), in: environment)
        #expect(
            await code {
                try await authenticator.receive(
                    try AcmeWire.push(["kind": "ask", "id": "1"], to: "ada", key: "wrong"))
            } == .unknownEnrollment)
        #expect(try await authenticator.enrollments().isEmpty)
        #expect(await observer.counts() == [.refused(.unknownEnrollment): 1])
    }
}
