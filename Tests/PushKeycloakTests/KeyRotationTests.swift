import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushKeycloak

/// A new key for an enrollment, whatever happens in between: the realm takes proofs by the one key that
/// it knows, and the old one is dead at once.
@Suite struct KeyRotationTests {
    /// Where a rotation is broken off.
    enum Break: CaseIterable {
        /// Nothing could be written.
        case firstWrite
        /// The realm wasn't reached.
        case refused
        /// The request was lost.
        case lostRequest
        /// The realm has the new key, and its reply was lost.
        case lostReply
        /// The realm has the new key, and that couldn't be written.
        case lastWrite

        /// Whether the realm knows the new key then.
        var isTaken: Bool { self == .lostReply || self == .lastWrite }
    }

    private func enrolled() async throws -> ScriptedHarness {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.know(try Vectors().deviceKey)
        return harness
    }

    private func breakOff(_ harness: ScriptedHarness, at place: Break) async throws -> PushError {
        let isRotation: @Sendable (HTTPRequest) -> Bool = { ScriptedServer.Kind($0) == .rotate }
        let failure = PushError(.storage, "The disk is full.")
        switch place {
        case .firstWrite: await harness.store.refuseWrites { _ in failure }
        case .refused: await harness.faults.next(.refuse, where: isRotation)
        case .lostRequest: await harness.faults.next(.dropBefore, where: isRotation)
        case .lostReply: await harness.faults.next(.dropAfter, where: isRotation)
        case .lastWrite:
            let writes = CountedWrites()
            await harness.store.refuseWrites { _ in writes.next() > 1 ? failure : nil }
        }
        let error = try await refusal { try await harness.rotateKey() }
        await harness.store.refuseWrites(nil)
        return error
    }

    /// Whether a call of a process arrives, and what it leaves on record.
    private func expectUse(_ harness: ScriptedHarness) async throws {
        await harness.server.list(try Vectors().object("listed"))
        #expect(try await harness.authenticator.pending(for: harness.id).count == 1)
    }

    private func names(_ harness: ScriptedHarness) async throws -> (key: String, next: String?) {
        let credential = try await harness.credential
        return (
            try DeviceKey(stored: credential.key).thumbprint,
            try credential.nextKey.map { try DeviceKey(stored: $0).thumbprint }
        )
    }

    @Test func `a rotation tells the new key by the old one, and goes on with the new one`()
        async throws
    {
        let harness = try await enrolled()
        let old = try Vectors().deviceKey
        try await harness.rotateKey()
        let body = try #require(try await harness.bodies(.rotate).first)
        let told = try #require(body["publicKeyJwk"]?.object)
        #expect(told["alg"] == "ES256" && told["kty"] == "EC" && told["d"] == nil)
        let field = await harness.exchanges(.rotate).first?.request.headerFields[.dpop]
        #expect(try SentToken(#require(field)).header["jwk"]?["kid"]?.string == old.thumbprint)
        let names = try await names(harness)
        #expect(names.key == told["kid"]?.string && names.key != old.thumbprint)
        #expect(names.next == nil)
        try await expectUse(harness)
    }

    @Test(arguments: Break.allCases)
    func `a rotation broken off anywhere leaves the key that the realm knows in use`(
        place: Break
    ) async throws {
        let harness = try await enrolled()
        let error = try await breakOff(harness, at: place)
        #expect(error.code != .unknownEnrollment)
        let later = try await ScriptedHarness(sharing: harness)
        try await expectUse(later)
        let names = try await names(later)
        #expect(names.key == (await later.server.knownKey))
        let old = try Vectors().deviceKey.thumbprint
        #expect((names.key != old) == place.isTaken)
        // Until the realm has provably taken it, both stay.
        #expect((names.next == nil) == (place.isTaken || place == .firstWrite))
    }

    @Test(arguments: Break.allCases)
    func `a rotation that was broken off is finished by another one, and both are used up`(
        place: Break
    ) async throws {
        let harness = try await enrolled()
        _ = try await breakOff(harness, at: place)
        let later = try await ScriptedHarness(sharing: harness)
        let begun = try await names(later).next
        try await later.rotateKey()
        let names = try await names(later)
        let known = await later.server.knownKey
        #expect(names.next == nil && names.key == known)
        #expect(begun == nil || names.key == begun)
        try await expectUse(later)
    }

    @Test(arguments: Break.allCases)
    func `an answer on record goes out by whichever key the realm knows`(
        place: Break
    ) async throws {
        let harness = try await enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(.dropBefore) { ScriptedServer.Kind($0) == .answer }
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        _ = try await breakOff(harness, at: place)
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
        let sent = try #require(try await harness.tokens(.answer).last)
        #expect(sent.header["kid"]?.string == (await harness.server.knownKey))
    }

    @Test func `a store that is full loses no word of the realm's`() async throws {
        let harness = try await enrolled()
        let challenge = try await harness.challenge()
        _ = try await breakOff(harness, at: .lostReply)
        // The new key's promotion isn't written. All else is: the decision before, and afterwards what
        // the realm said.
        let (writes, isAnswered) = (CountedWrites(), Locked(false))
        await harness.faults.next(.refuse) { request in
            if ScriptedServer.Kind(request) == .answer { isAnswered.withLock { $0 = true } }
            return false
        }
        await harness.store.refuseWrites { _ in
            guard isAnswered.withLock({ $0 }) else { return nil }
            return writes.next() == 1 ? PushError(.storage, "The disk is full.") : nil
        }
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        await harness.store.refuseWrites(nil)
        #expect(try await names(harness).next != nil)
        try await expectUse(harness)
        #expect(try await names(harness).next == nil)
    }

    @Test(arguments: [ScriptedReply.json([:]), .word("ok"), .word("rotated"), .page(200)])
    func `a stranger's success is no proof that the realm has the new key`(
        reply: ScriptedReply
    ) async throws {
        let harness = try await enrolled()
        _ = try await breakOff(harness, at: .lostRequest)
        await harness.server.reply(
            to: .list, .refusal(403, "Invalid DPoP proof signature"), reply)
        _ = try await refusal { try await harness.authenticator.pending(for: harness.id) }
        let names = try await names(harness)
        #expect(names.key == (try Vectors().deviceKey.thumbprint) && names.next != nil)
        try await expectUse(harness)
    }

    @Test func `what another process has rotated is read again`() async throws {
        let harness = try await enrolled()
        let other = try await ScriptedHarness(sharing: harness)
        try await harness.authenticator.turn(of: harness.id) {
            (account: Account) async throws(PushError) in
            _ = try account.credential(as: KeycloakCredential.self)
            try await other.authenticator.turn(of: other.id) {
                (theirs: Account) async throws(PushError) in
                try await other.provider.rotateKey(of: theirs)
            }
            _ = try await harness.provider.resolver.pending(of: account, after: nil)
        }
        #expect(try await names(harness).key == (await harness.server.knownKey))
    }

    @Test func `a new key that another process has used up is told by no newer one`()
        async throws
    {
        let harness = try await enrolled()
        let other = try await ScriptedHarness(sharing: harness)
        // The key that comes next is on record, and the realm hasn't heard of it.
        _ = try await breakOff(harness, at: .lostRequest)
        try await harness.authenticator.turn(of: harness.id) {
            (account: Account) async throws(PushError) in
            _ = try account.credential(as: KeycloakCredential.self)
            // Meanwhile the other process finishes that, and goes on to one of its own.
            for _ in 0..<2 {
                try await other.authenticator.turn(of: other.id) {
                    (theirs: Account) async throws(PushError) in
                    try await other.provider.rotateKey(of: theirs)
                }
            }
            try await harness.provider.rotateKey(of: account)
        }
        let names = try await names(harness)
        #expect(names.key == (await harness.server.knownKey) && names.next == nil)
        try await expectUse(harness)
    }

    @Test func `where the realm knows neither key, that is said, and both stay`() async throws {
        let harness = try await enrolled()
        await harness.server.replyAlways(
            to: .list, .refusal(403, "Invalid DPoP proof signature"))
        let error = try await refusal { try await harness.authenticator.pending(for: harness.id) }
        #expect(error.code == .server(status: 403))
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .active)
    }

    @Test func `a refused rotation leaves the old key in use`() async throws {
        let harness = try await enrolled()
        await harness.server.reply(to: .rotate, .refusal(400, "JWK missing alg"))
        #expect(try await refusal { try await harness.rotateKey() }.code == .server(status: 400))
        try await expectUse(harness)
        #expect(try await names(harness).key == (try Vectors().deviceKey.thumbprint))
    }
}

/// Counts what a closure is asked.
private final class CountedWrites: Sendable {
    private let count = Locked(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
