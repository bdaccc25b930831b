import PushCore

@testable import PushPowerAuth

/// What only the plugin's own code sees of a phone.
extension PowerAuthHarness {
    func record(_ id: Enrollment.ID) async throws -> PowerAuthRecord {
        try await account(id).record
    }

    /// Uses a value of the counter up, as a signature does that never arrives.
    @discardableResult
    func takeCounter(
        of id: Enrollment.ID, _ factors: PowerAuthFactors = .possession
    ) async throws -> SignatureCounter {
        try await provider.channel.takeCounter(of: try await account(id), factors).counter
    }

    /// Has a signature checked, and says what came of it.
    func validate(_ factors: PowerAuthFactors, of id: Enrollment.ID) async throws {
        try await provider.channel.validate(factors, of: try await account(id))
    }
}

extension PowerAuthFactors {
    static func pin(_ text: String) -> PowerAuthFactors { .pin(Secret(text.utf8)) }
}
