import PushCore

@testable import PushPowerAuth

/// What only the plugin's own code sees of a phone.
extension PowerAuthHarness {
    func record(_ id: Enrollment.ID) async throws -> PowerAuthRecord {
        try PowerAuthRecord(try await provider.channel.vault.existing(id))
    }

    /// Has a signature checked, and says what came of it.
    func validate(_ factors: PowerAuthFactors, of id: Enrollment.ID) async throws {
        try await provider.channel.validate(factors, of: id)
    }
}

extension PowerAuthFactors {
    static func pin(_ text: String) -> PowerAuthFactors { .pin(Secret(text.utf8)) }
}
