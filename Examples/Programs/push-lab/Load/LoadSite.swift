import Foundation
import LocalServer
import PushCore
import PushPlatform
import PushTesting

/// AM's simulator behind a server, and a store whose accounts are enrolled there.
struct LoadSite: Sendable {
    let simulator: any VendorSimulator
    let directory: URL
    let count: Int
    let width: Int

    /// The device's store, and beside it its key, where pushauth looks for it.
    let store: SoakStore

    private static let vendor = LabVendors.keepingWhole

    private let authority: LocalAuthority
    private let server: LocalServer

    /// Starts the server, and enrolls the accounts.
    ///
    /// - Parameters:
    ///   - parent: Where the run's directory is made.
    ///   - count: How many accounts there are.
    ///   - width: How much is under way at once.
    ///   - enrolls: Whether they are enrolled on one device, in a store of the directory.
    /// - Throws: What keeps the server from starting, or an account from being enrolled.
    init(in parent: URL, count: Int, width: Int, enrolling enrolls: Bool = true) async throws {
        self.count = count
        self.width = width
        directory = parent.appendingPathComponent("push-lab-load-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        authority = try LocalAuthority()
        guard let simulator = Self.vendor.lasting?().simulator else {
            throw PushError(.unsupported, "The vendor has no server that lasts.")
        }
        self.simulator = simulator
        server = try await LocalServer.start(.secure(try authority.identity())) { request, body in
            await simulator.respond(to: request, body: body)
        }
        try await simulator.move(to: server.origin)
        store = SoakStore(in: directory)
        if enrolls { try await store.prepare() }
        try writeFiles()
        if enrolls { try await enroll() }
    }

    /// Takes everything away.
    func close() async {
        await server.stop()
        authority.removeFile()
        try? FileManager.default.removeItem(at: directory)
    }

    /// The certificate of who vouches for the server.
    var authorities: String { authority.certificateFile.path }

    /// Where a file of this run is.
    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    /// The network of a device.
    var transport: SystemTransport {
        SystemTransport(
            .init(plainHTTP: .loopbackOnly, certificateAuthorities: .file(authorities)))
    }

    /// An authenticator over a store and a network.
    func authenticator(
        over store: any CredentialStore, _ transport: any Transport
    ) throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: transport, store: store, verifier: ScriptedVerifier.willing(),
            device: Device(name: "push-lab"))
        let provider = Self.vendor.killed?(environment)
        var configuration = PushConfiguration()
        configuration.backoff.tries = 0
        return PushAuthenticator(
            try PluginRegistry([provider].compactMap { $0 }),
            in: environment, configuration: configuration)
    }

    /// Starts a login of each account.
    ///
    /// - Returns: The logins, and their pushes, as a device gets them.
    func startLogins(_ count: Int) async throws -> (ids: [SimulatedLogin.ID], pushes: [Data]) {
        let (ids, pushes) = try await startAddressedLogins(count)
        return (ids, pushes.map(\.payload))
    }

    /// The same, with the device tokens that the pushes go to.
    func startAddressedLogins(
        _ count: Int
    ) async throws -> (ids: [SimulatedLogin.ID], pushes: [SimulatedPush]) {
        var ids: [SimulatedLogin.ID] = []
        for number in 0..<count {
            ids.append(try await simulator.startLogin(of: Self.user(number), asking: .confirm).id)
        }
        return (ids, await simulator.takePushes())
    }

    /// Looks whether each login's user is logged in, as its page would find out.
    func checkApproved(_ ids: [SimulatedLogin.ID]) async throws {
        for id in ids {
            let status = try await simulator.status(of: id)
            guard status == .approved else {
                throw PushError(.notFound, "Expected a login that is approved, not \(status).")
            }
        }
    }

    private func enroll() async throws {
        let authenticator = try authenticator(over: try await store.open(), transport)
        try await authenticator.deviceTokenChanged(.fcm("push-lab-load"))
        for number in 0..<count { try await enroll(number, with: authenticator) }
    }

    /// Enrolls one of the accounts.
    func enroll(_ number: Int, with authenticator: PushAuthenticator) async throws {
        let invitation = try await simulator.invitation(for: Self.user(number))
        try await authenticator.enroll(invitation) { _ in true }
    }

    private static func user(_ number: Int) -> String { "user-\(number)" }

    private func writeFiles() throws {
        let files = [
            (
                "pushauth.toml",
                """
                [server]
                authorities = "\(authorities)"
                plain-http = true

                [providers.\(Self.vendor.name)]
                local-hosts = true

                """
            ),
            ("policy.toml", "[[rule]]\nname = \"all\"\naction = \"approve\"\n"),
            ("secret", LoadRun.secret + "\n"),
        ]
        for (name, text) in files {
            try Data(text.utf8).write(to: directory.appendingPathComponent(name))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: path(name))
        }
    }
}

/// Does something so many times, a number of them at once.
func times(
    _ count: Int, width: Int, _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            if index >= width { try await group.next() }
            group.addTask { try await body(index) }
        }
        try await group.waitForAll()
    }
}
