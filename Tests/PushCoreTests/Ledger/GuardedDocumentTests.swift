import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// A document's bytes where a part of it is guarded.
struct GuardedDocumentTests {
    private func document(
        _ policy: GuardPolicy = .deviceOwner
    ) throws -> EnrollmentDocument {
        var document = try EnrollmentDocument.ada()
        document.setGuard(
            SealedPart(policy: policy, part: secret("sealed")),
            GuardedAcme.Half(secret("push"), secret(GuardedAcme.key)))
        try document.announce("1")
        return document
    }

    @Test func `it is of version 2, with one block more, and without what is sealed`() throws {
        let document = try document()
        #expect(document.bytes[2] == 2)
        #expect(!bytes(document.bytes, hold: GuardedAcme.key))
        var plain = document
        plain.setGuard(nil)
        #expect(plain.bytes[2] == 1)
        let policy = #""guard":"deviceOwner""#
        #expect(bytes(document.bytes, hold: policy) && !bytes(plain.bytes, hold: policy))
        let block = [0, 0, 0, 6] + Array("sealed".utf8)
        #expect(document.bytes.firstRange(of: block) != nil)
    }

    @Test(arguments: GuardPolicy.allCases)
    func `it is read as it was written, and locked`(policy: GuardPolicy) throws {
        let document = try document(policy)
        var again = try document.again
        #expect(again.bytes == document.bytes && !again.hasChanged)
        #expect(again.head.enrollment.guardPolicy == policy)
        #expect(again.isLocked && again.guarded.isSame(as: document.guarded))
        let half: GuardedAcme.Half = try again.readCredential()
        #expect(half.answerSecrets.isEmpty)
        #expect(try again.row("1")?.state == .open)
    }

    @Test func `every cut and every appended byte is refused`() throws {
        let bytes = try document().bytes
        for count in bytes.indices {
            let cut = Secret(bytes.prefix(count))
            #expect(code { try EnrollmentDocument(reading: cut) } == .malformed)
        }
        #expect(code { try EnrollmentDocument(reading: Secret(bytes + [0])) } == .malformed)
    }

    @Test func `a policy without a guard, and a guard without a policy, are damage`() throws {
        for document in [try document(), try EnrollmentDocument.ada()] {
            let isGuarded = document.guarded != nil
            #expect(
                code {
                    try EnrollmentDocument(
                        recorded: document.names, generation: 0, passed: nil,
                        head: document.sealedHead, credential: document.credential,
                        guarded: isGuarded ? nil : secret("sealed"), rows: DocumentRows(),
                        traces: Traces(), bursts: Bursts(), told: [])
                } == .malformed)
        }
    }

    @Test func `what is open is merged in, and stripped before it is written`() async throws {
        var document = try document()
        let part = try #require(document.guarded).part
        let changed = try await OpenParts.lending([(part, [secret(GuardedAcme.key)])]) {
            [document] () async throws(PushError) in
            var document = document
            #expect(!document.isLocked)
            try document.changeCredential {
                (half: inout GuardedAcme.Half, _) throws(PushError) in
                #expect(half.answerSecrets.map { $0.copiedText() } == [GuardedAcme.key])
                half.note = "changed"
            }
            return document
        }
        #expect(changed.isLocked && changed.hasChanged)
        #expect(!bytes(changed.bytes, hold: GuardedAcme.key))
        #expect(bytes(changed.bytes, hold: "changed"))
        // What isn't open isn't changed, and what is read then has none of it.
        #expect(
            code {
                try document.changeCredential { (half: inout GuardedAcme.Half, _) in
                    half.answerSecrets = [secret("another")]
                }
            } == .locked)
    }
}
