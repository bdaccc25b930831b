import PushCore
import PushJOSE
import PushPlusAuth
import PushTesting

/// Key pairs of the worked examples, handed out in order.
private actor KeyQueue {
    private var names: [String]

    init(_ names: [String]) { self.names = names }

    func next() throws(PushError) -> ExportableAccountKey {
        guard !names.isEmpty else { throw PushError(.notFound, "The test has no more keys.") }
        let name = names.removeFirst()
        let members: JSON.Object
        do {
            members = try Vectors().parsed("\(name)_private_jwk")
        } catch {
            throw PushError(
                .notFound, "There is no such key in the worked examples.", underlying: error)
        }
        return try ExportableAccountKey(privateJWK: JWK(members))
    }
}

extension PlusAuthHarness {
    /// A harness that holds the worked examples' accounts: `rsa` is #1, `ec` is #2.
    static func ofTheExamples(
        _ names: [String] = ["rsa", "ec"], _ configuration: PlusAuth.Configuration = .init()
    ) async throws -> PlusAuthHarness {
        let queue = KeyQueue(names)
        let keys = AccountKeySource { (_) async throws(PushError) in try await queue.next() }
        let harness = try PlusAuthHarness(configuration, keys: keys)
        for name in names { try await harness.enroll(.account("ada-\(name)@example.com")) }
        return harness
    }
}
