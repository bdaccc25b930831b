import Foundation
import PushCore
import PushPlatform

struct UnfinishedInScope: Sendable {
    let scope: String; let name: String; let revision: Revision
    enum Matter: Sendable { case open, decided, removal }
    let matter: Matter; let expiry: Date?
}
extension ScopedStore {
    static func unfinished(in base: any CredentialStore) async throws(PushError)
        -> [UnfinishedInScope]
    { [] }
}
