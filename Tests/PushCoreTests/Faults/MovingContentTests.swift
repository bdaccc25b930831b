import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What moves can't be read, whole or in part.
struct MovingContentTests {
    private let one = AuthenticatorHarness()
    private let other = AuthenticatorHarness()

    @Test func `what the other device couldn't read stays, unmarked, and hinders nobody`()
        async throws
    {
        let deep = (0..<31).reduce(JSON.bool(true)) { inner, _ in .array([inner]) }
        let app = try one.movable {
            $0.leaves = { name, record in
                var record = record
                if name == "ada" { record.fields["deep"] = deep }
                return .moves(record)
            }
        }
        _ = try await app.join("ada")
        _ = try await app.join("bob")
        guard case .failed? = try await app.exportPreview().first?.result else {
            Issue.record("It would leave.")
            return
        }
        let given = try await app.export()
        guard case .failed(let error)? = given.entries.first?.result else {
            Issue.record("It left.")
            return
        }
        #expect(error.code == .malformed)
        #expect(try await app.enrollment(.ada)?.state == .active)
        let taken = try await other.movable().importEnrollments(from: given.content)
        #expect(taken.map(\.enrollment.id) == [.bob])
    }

    @Test func `content that was cut or changed anywhere is an error or leaves the store alone`()
        async throws
    {
        let old = try one.movable()
        _ = try await old.join("ada")
        let whole = try await old.export().content.withBytes { Array($0) }
        for end in 0..<whole.count {
            let harness = AuthenticatorHarness()
            let thrown = await code {
                try await harness.movable().importEnrollments(from: Secret(whole[..<end]))
            }
            #expect(thrown == .malformed, "cut at \(end)")
        }
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 0x15
            let harness = AuthenticatorHarness()
            let imported = await Result { () async throws(PushError) in
                try await harness.environment.importing(Secret(changed))
            }
            guard case .failure(let error) = imported else { continue }
            #expect([.malformed, .unsupportedRecord].contains(error.code), "changed at \(index)")
            #expect(try await harness.store.names(in: "enrollment").isEmpty)
        }
    }

    @Test func `content of a newer version says so`() async throws {
        let head = Secret.Record(fields: ["format": 2, "count": 0]).sealed
        let content = head.withBytes { bytes in
            Secret(withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Array($0) } + bytes)
        }
        let thrown = await code { try await one.movable().importEnrollments(from: content) }
        #expect(thrown == .unsupportedRecord)
    }
}

extension PushEnvironment {
    /// What an import of content that may be anything comes to.
    fileprivate func importing(
        _ content: Secret
    ) async throws(PushError) -> [ImportedEnrollment] {
        let acme = MovingAcme(inner: Acme("acme", .init(), in: self))
        return try await PushAuthenticator(try PluginRegistry([acme]), in: self)
            .importEnrollments(from: content)
    }
}
