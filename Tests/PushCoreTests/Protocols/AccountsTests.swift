import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

struct AccountsTests {
    private let harness = AuthenticatorHarness()
    private var accounts: Accounts { harness.environment.accounts(for: "acme") }

    @discardableResult
    private func make(
        _ name: String, _ date: Date = morning, in accounts: Accounts? = nil
    ) async throws -> Account {
        try await (accounts ?? self.accounts).create(
            Enrollment(id: .init(name, of: "acme"), state: .active, created: date),
            secret("s-\(name)"))
    }

    @Test func `an enrollment is made once, read, changed and deleted`() async throws {
        try await make("ada")
        #expect(await code { try await make("ada") } == .conflict)
        let account = try await accounts.existing(.ada)
        let result = try await account.change { (credential: inout Secret, enrollment) in
            credential = secret("new")
            enrollment.issuer = "Acme"
            return 7
        }
        #expect(result == 7)
        for known in [account, try await accounts.existing(.ada)] {
            #expect(known.id == .ada && known.enrollment.issuer == "Acme")
            let credential: Secret = try known.credential()
            #expect(credential.isEqualInConstantTime(to: secret("new")))
        }
        try await accounts.delete(.ada)
        try await accounts.delete(.ada)
        #expect(try await accounts.account(.ada) == nil)
        #expect(await code { try await accounts.existing(.ada) } == .unknownEnrollment)
    }

    @Test func `what was made can be changed at once`() async throws {
        let made = try await make("ada")
        try await made.changeEnrollment { $0.issuer = "Acme" }
        #expect(made.enrollment.issuer == "Acme")
        #expect(try await accounts.existing(.ada).enrollment.issuer == "Acme")
    }

    @Test func `a change that leaves both halves as they were writes nothing`() async throws {
        let account = try await make("ada")
        let key = Documents.key(.ada)
        let store = harness.environment.store
        let made = try #require(try await store.read(key)).revision
        let result = try await account.change { (credential: inout Secret, enrollment) in
            credential = secret("s-ada")
            enrollment.state = .active
            return 7
        }
        #expect(result == 7)
        #expect(try #require(try await store.read(key)).revision == made)
        try await account.changeEnrollment { $0.issuer = "Acme" }
        #expect(try #require(try await store.read(key)).revision != made)
    }

    @Test func `a provider sees and touches no other provider's enrollments`() async throws {
        let account = try await make("ada")
        let other = harness.environment.accounts(for: "acme/b")
        #expect(try await other.account(.ada) == nil)
        #expect(try await other.enrollments().isEmpty)
        #expect(await code { try await make("ada", in: other) } == .invalidArgument)
        try await other.delete(.ada)
        #expect(try await accounts.account(.ada) != nil)
        let theirs = Enrollment(id: .init("ada", of: "acme/b"), state: .active, created: morning)
        #expect(
            await code { try await account.changeEnrollment { $0 = theirs } } == .invalidArgument)
        #expect(account.enrollment.id == .ada)
    }

    @Test func `enrollments come oldest first`() async throws {
        try await make("b", morning + 1)
        try await make("c", morning)
        try await make("a", morning + 1)
        #expect(try await accounts.enrollments().map(\.id.name) == ["c", "a", "b"])
    }

    @Test(arguments: [true, false])
    func `changes by many writers are all kept`(isOneAccount: Bool) async throws {
        let (accounts, made) = (accounts, try await make("ada"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let account = isOneAccount ? made : try? await accounts.existing(.ada)
                    _ = try? await account?.change { (credential: inout Secret, _) in
                        credential = Secret(Array(repeating: 0, count: credential.count + 1))
                    }
                }
            }
        }
        let credential: Secret = try await accounts.existing(.ada).credential()
        #expect(credential.count == "s-ada".count + 50)
    }

    @Test func `a damaged record is named, hides no other, and can be deleted`() async throws {
        try await make("ada")
        try await harness.damage(Documents.collection)
        try await make("bob")
        #expect(await code { try await accounts.account(.ada) } == .malformed)
        #expect(try await accounts.enrollments().map(\.id) == [.bob])
        try await accounts.delete(.ada)
        #expect(try await accounts.account(.ada) == nil)
    }

    @Test func `a damaged record that another process made new meanwhile is deleted, too`()
        async throws
    {
        let contested = ContestedStore(harness.store)
        let accounts = AuthenticatorHarness(store: contested).environment.accounts(for: "acme")
        try await make("ada", in: accounts)
        let key = Documents.key(.ada)
        let sealed = try #require(try await harness.store.read(key)).value
        await harness.store.damage(key)
        await contested.interruptDiscarding { store in
            try? await store.discard(key)
            _ = try? await store.write(sealed, for: key, replacing: nil)
        }
        try await accounts.delete(.ada)
        #expect(try await accounts.account(.ada) == nil)
        #expect(await contested.remaining == 0)
    }

    @Test func `a record without its secret half is damaged`() async throws {
        try await make("ada")
        let key = Documents.key(.ada)
        let (value, revision) = try #require(try await harness.store.read(key))
        let whole = value.withBytes { Array($0) }
        let head = try EnrollmentDocument(reading: value).sealedHead.withBytes { Array($0) }
        let end = try #require(whole.firstRange(of: head)).upperBound
        try await harness.store.write(
            Secret(Array(whole[..<end])), for: key, replacing: revision)
        #expect(await code { try await accounts.account(.ada) } == .malformed)
    }

    @Test func `a store that fails is not taken for an empty one`() async throws {
        struct Broken: CredentialStore {
            let error = PushError(.storage, "Locked.")
            func read(_: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)?
            {
                throw error
            }
            func write(
                _: Secret?, for: RecordKey, replacing: Revision?, waits: Bool
            ) async throws(PushError) -> Revision? {
                throw error
            }
            func discard(_: RecordKey) async throws(PushError) { throw error }
            func names(
                in: String, waiting: Bool, after: String?, limit: Int
            ) async throws(PushError) -> NamePage {
                throw error
            }
        }
        let harness = AuthenticatorHarness(store: Broken())
        let authenticator = try harness.authenticator()
        #expect(await code { try await authenticator.enrollments() } == .storage)
        #expect(await code { try await authenticator.receive(try AcmeWire.ask("1")) } == .storage)
        #expect(await code { try await authenticator.deny(.ada("1")) } == .storage)
        #expect(await code { try await authenticator.resume() } == .storage)
        #expect(await code { try await authenticator.deviceTokenRemoved(of: .fcm) } == .storage)
        #expect(await harness.transport.exchanges.isEmpty)
    }
}
