import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

/// An environment that keeps all in files makes what is missing, once.
struct FileEnvironmentTests {
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    private func environment() async throws(PushError) -> PushEnvironment {
        try await .files(in: fixture.root, device: Device(name: "Phone"), user: NobodyToAsk())
    }

    private func value(in environment: PushEnvironment) async throws -> [UInt8]? {
        try await environment.store.read(.ada)?.value.withBytes { Array($0) }
    }

    @Test func `a store and its key are made once, and opened the next time`() async throws {
        let first = try await environment()
        try await first.store.write(Secret([7]), for: .ada, replacing: nil, waits: false)
        let key = try fixture.contents(fixture.root + ".key")
        let second = try await environment()
        #expect(try await value(in: second) == [7])
        #expect(second.device.name == "Phone" && second.verifier is NobodyToAsk)
        #expect(try fixture.contents(fixture.root + ".key") == key)
        #expect(try fixture.mode(fixture.root + ".key") == 0o600)
        #expect(try fixture.mode(fixture.root) == 0o700)
        let all = try FileManager.default.contentsOfDirectory(atPath: fixture.base)
        #expect(Set(all) == ["store", "store.key"])
    }

    @Test func `a store that has lost its key is refused, and gets no other key`() async throws {
        _ = try await environment()
        let key = fixture.root + ".key"
        try FileManager.default.removeItem(atPath: key)
        let error = try await refusal { _ = try await environment() }
        #expect(error.code == .storage && error.reason.contains("no key file \(key)"))
        #expect(!FileManager.default.fileExists(atPath: key))
    }

    @Test func `a key without a store is taken, as its maker was killed before it made one`()
        async throws
    {
        let made = try await FileStore.KeySource.newFile(fixture.root + ".key")
        _ = try await environment()
        _ = try await FileStore(at: fixture.root, key: made)
    }

    @Test func `many that begin at once share one store`() async throws {
        let environments = try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await environment() } }
            return try await group.reduce(into: [PushEnvironment]()) { $0.append($1) }
        }
        let first = try #require(environments.first)
        try await first.store.write(Secret([7]), for: .ada, replacing: nil, waits: false)
        for environment in environments { #expect(try await value(in: environment) == [7]) }
    }
}
