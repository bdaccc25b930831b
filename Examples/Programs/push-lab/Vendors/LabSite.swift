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

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - name: The device's folder.
    ///   - verifier: Its user.
    ///   - clock: What it goes by.
    ///   - plugins: What it links.
    /// - Returns: The device.
    /// - Throws: What opening its store throws.
    func device(
        _ name: String, verifier: any UserVerifier = ScriptedVerifier.willing(),
        clock: any PushClock = SystemClock(),
        plugins: @escaping @Sendable (PushEnvironment) -> [any PushProvider]
    ) async throws -> LabDevice {
        try await LabDevice(
            .init(verifier: verifier, clock: clock, log: log, plugins: plugins),
            trusting: authority, in: directory.appendingPathComponent(name))
    }

    /// Takes away what it wrote.
    func remove() {
        authority.removeFile()
        try? FileManager.default.removeItem(at: directory)
    }
}
