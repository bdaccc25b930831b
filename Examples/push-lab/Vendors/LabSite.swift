import Foundation
import LocalServer
import PushCore
import PushTesting

/// What one vendor's stations share: who vouches for their servers, where their devices keep their
/// stores, and the log.
struct LabSite {
    private let authority: LocalAuthority
    private let directory: URL
    private let log: ExchangeLog

    /// What a server over HTTPS shows.
    let identity: LocalIdentity

    init(log: ExchangeLog) throws {
        self.log = log
        authority = try LocalAuthority()
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("push-lab-demo-\(UUID().uuidString)", isDirectory: true)
        do {
            identity = try authority.identity()
        } catch {
            authority.removeFile()
            throw error
        }
    }

    /// Starts a server for a simulator, and gives a new device its plugins.
    ///
    /// - Parameters:
    ///   - name: The device's folder.
    ///   - simulator: The vendor.
    ///   - wire: What the server speaks.
    ///   - verifier: The device's user.
    ///   - plugins: What the device links.
    func station<Simulator: VendorSimulator>(
        _ name: String, _ simulator: Simulator, speaking wire: LocalServer.Wire,
        verifier: any UserVerifier = ScriptedVerifier.willing(),
        plugins: @escaping @Sendable (Environment) -> [any PushProvider]
    ) async throws -> Station<Simulator> {
        try await Station(
            simulator, speaking: wire, trusting: authority,
            in: directory.appendingPathComponent(name),
            device: .init(verifier: verifier, log: log, plugins: plugins))
    }

    /// Takes away what it wrote.
    func remove() {
        authority.removeFile()
        try? FileManager.default.removeItem(at: directory)
    }
}
