import PushCore

@testable import push_lab

extension PushAuthSite {
    static let pin = "9713840"

    /// Runs a test with the console's vendor of a name behind HTTPS.
    static func run(
        atVendor name: String, through gate: Gate = Gate(),
        _ test: (PushAuthSite, ConsoleVendor) async throws -> Void
    ) async throws {
        guard let vendor = ConsoleVendors.all().first(where: { $0.name == name }) else {
            throw PushError(.notFound, "There is no vendor \(name).")
        }
        try await run(with: vendor, through: gate) { site in try await test(site, vendor) }
    }

    /// Enrolls jane, and has the other side confirm it.
    ///
    /// - Returns: The ID of the enrollment.
    func join(_ vendor: ConsoleVendor) async throws -> String {
        let id = try await enroll(at: vendor, pin: Self.pin)["id"]?.string ?? ""
        await vendor.settle("jane")
        _ = try await pushauth("refresh", id)
        return id
    }
}
