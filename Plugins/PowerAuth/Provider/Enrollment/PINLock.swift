import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The key of knowledge under a PIN.
///
/// A wrong PIN gives a wrong key, and nothing here tells which it is: only the server can, and counts.
struct PINLock: Sendable {
    /// What the PIN is stretched with; drawn anew for each PIN.
    let salt: Data

    /// How often it is stretched.
    let iterations: Int

    /// The locked key.
    let locked: Secret

    /// How a PIN was stretched, and what came of it.
    struct Stretched: Sendable {
        let salt: Data
        let iterations: Int
        let key: Secret

        /// Stretches a new PIN.
        init(
            new pin: Secret, iterations: Int, random: any RandomSource
        ) async throws(PushError) {
            let salt = random.bytes(FactorLock.saltCount).withBytes { Data($0) }
            try await self.init(pin, salt: salt, iterations: iterations)
        }

        /// Stretches a PIN as a lock has it.
        init(_ pin: Secret, for lock: PINLock) async throws(PushError) {
            try await self.init(pin, salt: lock.salt, iterations: lock.iterations)
        }

        private init(_ pin: Secret, salt: Data, iterations: Int) async throws(PushError) {
            self.salt = salt
            self.iterations = iterations
            key = try await FactorLock.key(fromPIN: pin, salt: salt, iterations: iterations)
        }
    }

    /// A lock that is on record.
    init(salt: Data, iterations: Int, locked: Secret) {
        self.salt = salt
        self.iterations = iterations
        self.locked = locked
    }

    /// Locks a key under a new PIN.
    init(_ knowledge: Secret, under pin: Stretched) throws(PushError) {
        self.init(
            salt: pin.salt, iterations: pin.iterations,
            locked: try FactorLock.lock(knowledge, with: pin.key))
    }

    /// The key, or a wrong one; `nil` if the PIN was stretched for another lock.
    func key(under pin: Stretched) throws(PushError) -> Secret? {
        guard pin.salt == salt, pin.iterations == iterations else { return nil }
        return try FactorLock.unlock(locked, with: pin.key)
    }
}
