import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct FactorLockTests {
    private let salt = Sample.ascending(16)
    private let knowledge: Secret

    init() throws {
        knowledge = try Sample.secret("SG3aE8VTXg6wzkuNuZWaIg==")
    }

    private func key(_ pin: String, iterations: Int = 1000) async throws -> Secret {
        try await FactorLock.key(
            fromPIN: Secret(copying: pin), salt: salt, iterations: iterations)
    }

    /// Computed by two independent programs; the rounds are far below the library's own floor.
    @Test func `ten thousand rounds lock as in the vendor's apps`() async throws {
        let key = try await key("1234", iterations: 10_000)
        #expect(key.base64 == "nH1TZDfncjlrXtLrYnEI9Q==")
        let locked = try FactorLock.lock(knowledge, with: key)
        #expect(locked.base64 == "BHflHuWaXTJAouTq9u5nNQ==")
        #expect(try FactorLock.unlock(locked, with: key).copy == knowledge.copy)
    }

    @Test func `rounds, salt and PIN all count`() async throws {
        let first = try await key("1234")
        #expect(try await key("1235").copy != first.copy)
        #expect(try await key("1234", iterations: 1001).copy != first.copy)
        let other = try await FactorLock.key(
            fromPIN: Secret(copying: "1234"), salt: Data(salt.reversed()), iterations: 1000)
        #expect(other.copy != first.copy)
    }

    @Test func `a wrong PIN unlocks a wrong key and nobody notices`() async throws {
        let locked = try FactorLock.lock(knowledge, with: try await key("1234"))
        #expect(locked.count == 16)
        for wrong in 0..<50 {
            let unlocked = try FactorLock.unlock(locked, with: try await key("\(1235 + wrong)"))
            #expect(unlocked.count == 16)
            #expect(unlocked.copy != knowledge.copy)
        }
    }

    @Test func `what isn't a factor key is neither locked nor unlocked`() async throws {
        let key = try await key("1234")
        for count in [0, 15, 17, 32] {
            let other = Secret(count: count) { _ in }
            #expect(
                Sample.refusal { _ = try FactorLock.lock(other, with: key) } == .invalidArgument)
            #expect(
                Sample.refusal { _ = try FactorLock.unlock(other, with: key) } == .invalidArgument)
            #expect(
                Sample.refusal { _ = try FactorLock.lock(key, with: other) } == .invalidArgument)
            #expect(
                Sample.refusal { _ = try FactorLock.unlock(key, with: other) } == .invalidArgument)
        }
    }

    @Test func `nothing is stretched without a PIN, a salt and rounds`() async {
        let pin = Secret(copying: "1234")
        let cases: [(Secret, Data, Int)] = [
            (Secret([]), salt, 1000), (pin, Data(), 1000), (pin, salt.dropLast(), 1000),
            (pin, salt + [0], 1000), (pin, salt, 0), (pin, salt, -1), (pin, salt, .max),
        ]
        for (pin, salt, iterations) in cases {
            await #expect {
                try await FactorLock.key(fromPIN: pin, salt: salt, iterations: iterations)
            } throws: {
                ($0 as? PushError)?.code == .invalidArgument
            }
        }
    }
}
