import IndependentEncodings
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

struct KeyedGuardTests {
    private let part = Secret(Array("only an answer needs it".utf8))
    private let purpose = VerificationRequest.Purpose.manage(
        Enrollment.ID("ada", of: "acme"), "test")

    private func open(
        _ sealed: [Secret], with source: KeySource = StoreFixture.key
    ) async throws(PushError) -> [[UInt8]] {
        try await KeyedGuard(source).open(sealed, for: purpose, title: nil).map(\.copied)
    }

    @Test func `its key opens what it sealed, and no other key does`() async throws {
        let keyed = KeyedGuard(StoreFixture.key)
        let other = Secret([1, 2, 3])
        let first = try await keyed.seal(part, under: .presence)
        let second = try await keyed.seal(other, under: .presence)
        #expect(try await open([second, first]) == [other.copied, part.copied])
        #expect(!first.copied.contains(part.copied))
        let error = try await refusal { try await open([first], with: StoreFixture.key(1)) }
        #expect(error.code == .verificationFailed)
        // What it names is the key, and nothing that another use of the same key has.
        let keys = try await StoreFixture.key.keys(for: .guards)
        #expect(error.reason.contains(keys.id))
        #expect(try await StoreFixture.key.keys().id != keys.id)
        await keyed.discard(first)
        #expect(try await open([first]) == [part.copied])
    }

    @Test func `it promises no more than that the key was there`() async throws {
        for policy in [GuardPolicy.deviceOwner, .currentBiometry] {
            let error = try await refusal {
                try await KeyedGuard(StoreFixture.key).seal(part, under: policy)
            }
            #expect(error.code == .unsupported)
        }
    }

    @Test func `the key is asked for each time, and a source without one says why`() async throws {
        struct Down: Error {}
        let times = Locked(0)
        let source = KeySource {
            let time = times.withLock { times in
                times += 1
                return times
            }
            guard time < 3 else { throw Down() }
            return Secret(StoreFixture.bytes)
        }
        let sealed = try await KeyedGuard(source).seal(part, under: .presence)
        #expect(try await open([sealed, sealed], with: source).count == 2)
        #expect(times.withLock { $0 } == 2)
        let error = try await refusal { try await open([sealed], with: source) }
        #expect(error.code == .storage && error.underlying is Down)
    }

    @Test func `what another guard sealed is damaged to it, not opened`() async throws {
        let keys = try await StoreFixture.key.keys()
        let strange = Secret(try keys.seal(part, binding: []))
        for sealed in [Secret([]), strange, part] {
            #expect(try await refusal { try await open([sealed]) }.code == .malformed)
        }
    }
}
