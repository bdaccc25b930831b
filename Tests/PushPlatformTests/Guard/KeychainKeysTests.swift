import IndependentEncodings
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

/// The guard of the keychain, on a fake of the system's calls.
struct KeychainKeysTests {
    private let phone = FakePhone()
    private let part = Secret(Array("only an answer needs it".utf8))

    private var keys: KeychainKeys { KeychainKeys(calls: phone) }

    private func open(
        _ sealed: Secret..., title: String? = nil
    ) async throws(PushError) -> [[UInt8]] {
        let purpose = VerificationRequest.Purpose.manage(Enrollment.ID("ada", of: "acme"), "test")
        return try await keys.open(sealed, for: purpose, title: title).map(\.copied)
    }

    @Test(arguments: GuardPolicy.allCases)
    func `a part comes back, and what is stored shows neither it nor its key`(
        policy: GuardPolicy
    ) async throws {
        let sealed = try await keys.seal(part, under: policy)
        #expect(try await open(sealed) == [part.copied])
        #expect(!sealed.copied.contains(part.copied))
        let name = try #require(phone.names.first)
        #expect(sealed.copied.contains(Array(name.utf8)))
        #expect(phone.prompts.count == (policy == .presence ? 0 : 1))
    }

    @Test func `sealing asks for nothing, and each part has a key of its own`() async throws {
        let first = try await keys.seal(part, under: .deviceOwner)
        let second = try await keys.seal(part, under: .deviceOwner)
        #expect(phone.prompts.isEmpty)
        #expect(phone.names.count == 2)
        #expect(first.copied != second.copied)
    }

    @Test
    func `one question opens all parts of a call, in their order, and the next call asks again`()
        async throws
    {
        let other = Secret([1, 2, 3])
        let first = try await keys.seal(part, under: .currentBiometry)
        let second = try await keys.seal(other, under: .currentBiometry)
        #expect(
            try await open(second, first, title: "Log in?") == [other.copied, part.copied])
        #expect(phone.prompts == ["Log in?"])
        #expect(try await open(first) == [part.copied])
        #expect(phone.prompts == ["Log in?", nil])
    }

    @Test func `a finger that was added ends what only fingers open, and nothing else`()
        async throws
    {
        let fingers = try await keys.seal(part, under: .currentBiometry)
        let owner = try await keys.seal(part, under: .deviceOwner)
        phone.addFinger()
        #expect(try await refusal { try await open(fingers) }.code == .guardLost)
        #expect(phone.prompts.isEmpty)
        #expect(try await open(owner) == [part.copied])
    }

    @Test func `a device without a passcode keeps and makes what it needs none for, and no more`()
        async throws
    {
        let owner = try await keys.seal(part, under: .deviceOwner)
        phone.turnOffPasscode()
        #expect(try await refusal { try await open(owner) }.code == .guardLost)
        for policy in [GuardPolicy.deviceOwner, .currentBiometry] {
            let error = try await refusal { try await keys.seal(part, under: policy) }
            #expect(error.code == .unsupported)
        }
        #expect(phone.names.isEmpty)
        #expect(try await open(try await keys.seal(part, under: .presence)) == [part.copied])
    }

    @Test func `whoever cancels, or isn't recognized, opens nothing, and may try again`()
        async throws
    {
        let sealed = try await keys.seal(part, under: .deviceOwner)
        phone.set(.cancels)
        #expect(try await refusal { try await open(sealed) }.code == .cancelled)
        phone.set(.fails)
        #expect(try await refusal { try await open(sealed) }.code == .verificationFailed)
        phone.set(.succeeds)
        #expect(try await open(sealed) == [part.copied])
    }

    @Test func `a locked device is locked, not without its key`() async throws {
        let sealed = try await keys.seal(part, under: .presence)
        phone.lock()
        #expect(try await refusal { try await open(sealed) }.code == .locked)
        phone.lock(false)
        #expect(try await open(sealed) == [part.copied])
    }

    @Test func `a key that is missing for a moment is looked for again`() async throws {
        let sealed = try await keys.seal(part, under: .presence)
        phone.miss(1)
        #expect(try await open(sealed) == [part.copied])
        phone.miss(2)
        #expect(try await refusal { try await open(sealed) }.code == .guardLost)
    }

    @Test(arguments: [-34018, -50, -4, 77] as [Int32])
    func `a keychain that fails is an error of storage, and no guard that is lost`(
        status: Int32
    ) async throws {
        let sealed = try await keys.seal(part, under: .presence)
        phone.refuse(status)
        #expect(try await refusal { try await open(sealed) }.code == .storage)
        let error = try await refusal { try await keys.seal(part, under: .presence) }
        #expect(error.code == .storage)
        phone.refuse(nil)
        #expect(try await open(sealed) == [part.copied])
    }

    @Test func `what is discarded takes its own key along`() async throws {
        let sealed = try await keys.seal(part, under: .presence)
        let kept = try await keys.seal(part, under: .presence)
        await keys.discard(sealed)
        #expect(phone.names.count == 1)
        #expect(try await open(kept) == [part.copied])
        await keys.discard(Secret([1, 2, 3]))
        #expect(phone.names.count == 1)
    }

    // MARK: Damage

    @Test func `a part is refused as damaged before the user is asked`() async throws {
        let sealed = try await keys.seal(part, under: .deviceOwner).copied
        for count in 0..<62 {
            let error = try await refusal { try await open(Secret(sealed.prefix(count))) }
            #expect(error.code == .malformed, "\(count) bytes")
        }
        #expect(phone.prompts.isEmpty)
        var newer = sealed
        (newer[4], newer[5]) = (2, ~2)
        #expect(try await refusal { try await open(Secret(newer)) }.code == .unsupportedRecord)
        #expect(phone.prompts.isEmpty)
    }

    @Test func `a part that was changed, wherever that is, is never opened`() async throws {
        let sealed = try await keys.seal(part, under: .presence).copied
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            let error = try await refusal { try await open(Secret(changed)) }
            #expect(error.code == ((6..<22).contains(index) ? error.code : .malformed))
        }
    }

    @Test func `one part's key opens no other's, whichever of the two was exchanged`() async throws
    {
        let sealed = try await keys.seal(part, under: .presence).copied
        let other = try await keys.seal(Secret([1]), under: .presence).copied
        let exchanged = Secret(sealed[..<22] + other[22...])
        #expect(try await refusal { try await open(exchanged) }.code == .malformed)
        phone.replaceKeys(by: Secret(Array(repeating: 7, count: 32)))
        #expect(try await refusal { try await open(Secret(sealed)) }.code == .malformed)
        phone.replaceKeys(by: Secret([7]))
        #expect(try await refusal { try await open(Secret(sealed)) }.code == .malformed)
    }
}
