public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A challenge that waits, and in which scope of a store.
public struct WaitingInScope: Sendable, Hashable {
    /// The scope, as it was given to ``ScopedStore``.
    public let scope: String

    /// The challenge.
    public let challenge: Challenge.ID

    /// Whether the user has decided, and the vendor's word isn't known yet.
    public let isDecided: Bool

    /// When the challenge expires, if its announcement says so.
    public let expiry: Date?
}

extension ScopedStore {
    /// How many records are read by one call.
    private static let recordsAtOnce = 32

    /// The challenges that wait in any scope of a store: enrollments in which none waits cost nothing,
    /// where the store keeps marks. An enrollment that can't be read is left out.
    ///
    /// - Parameter base: The store that the scopes were made of.
    /// - Returns: All of them, in the order of the store's names.
    /// - Throws: `PushError` with the code `storage` if the store can't tell.
    public static func waiting(
        in base: any CredentialStore
    ) async throws(PushError) -> [WaitingInScope] {
        let names = try await base.names(in: WaitingChallenge.collection, waiting: true)
        var waiting: [WaitingInScope] = []
        for start in stride(from: 0, to: names.count, by: recordsAtOnce) {
            let part = names[start...].prefix(recordsAtOnce)
            let found = try await base.read(
                all: part.map { RecordKey(WaitingChallenge.collection, $0) })
            for (name, record) in zip(part, found) {
                guard let scope = ScopedName(name)?.scope,
                    case .success(let content?) = record.content,
                    let challenges = try? WaitingChallenge.all(in: content.value)
                else { continue }
                waiting += challenges.map {
                    WaitingInScope(
                        scope: scope, challenge: $0.id, isDecided: $0.isDecided,
                        expiry: $0.expiry)
                }
            }
        }
        return waiting
    }
}
