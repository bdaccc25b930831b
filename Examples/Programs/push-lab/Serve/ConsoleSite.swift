import Foundation
import HTTPTypes
import Hummingbird
import LocalServer
import Logging
import NIOCore
import PushTesting

/// The simulators behind their servers, and the console's pages in front of them.
final class ConsoleSite: Sendable {
    let console: Console
    let origin: String

    private let authority: LocalAuthority
    private let configuration: @Sendable () async -> String
    private let servers: [LocalServer]
    private let pages: Task<Void, any Error>
    private let pump: Task<Void, Never>

    /// Starts everything.
    ///
    /// - Parameters:
    ///   - port: Where the pages are; 0 lets the system choose.
    ///   - sender: Who takes the pushes.
    ///   - configurationFile: Where pushauth's configuration will be written, if it is to be.
    ///   - patience: How long a client may say nothing while a request is awaited or read. One that
    ///     only listens for events is never cut off.
    ///   - hold: What a push waits for that is to be late.
    /// - Returns: The servers, which listen.
    /// - Throws: What keeps a server from listening.
    static func start(
        at port: Int, sender: any PushDelivery, configurationFile: String? = nil,
        patience: Duration = .seconds(30),
        hold: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(5)) }
    ) async throws -> ConsoleSite {
        let authority = try LocalAuthority()
        let vendors = ConsoleVendors.all()
        let console = Console(vendors, sender: sender, hold: hold)
        var servers: [LocalServer] = []
        do {
            for vendor in vendors {
                let server = try await Self.serve(vendor, console, authority, patience)
                servers.append(server)
                try await vendor.simulator.move(to: server.origin)
            }
            let origins = Dictionary(
                uniqueKeysWithValues: zip(vendors.map(\.name), servers.map(\.origin)))
            let configuration = { @Sendable in await Self.configuration(vendors, origins) }
            let router = ConsoleRouter(
                console: console, configuration: configuration,
                configurationFile: configurationFile,
                authority: { Self.certificate(of: authority) })
            let (ports, announcement) = AsyncThrowingStream<Int, any Error>.makeStream()
            let application = Application(
                router: router.router(),
                server: .http1(configuration: .init(idleTimeout: TimeAmount(patience))),
                configuration: .init(address: .hostname("127.0.0.1", port: port)),
                onServerRunning: { announcement.yield($0.localAddress?.port ?? 0) },
                logger: Logger(label: "push-lab") { _ in SwiftLogNoOpLogHandler() })
            let pages = Task {
                do {
                    try await application.run()
                    announcement.finish()
                } catch {
                    announcement.finish(throwing: Obstacle(error) ?? error)
                    throw error
                }
            }
            for try await port in ports {
                return ConsoleSite(
                    console, authority, configuration, servers, pages, at: port)
            }
            throw CancellationError()
        } catch {
            for server in servers { await server.stop() }
            authority.removeFile()
            throw error
        }
    }

    private init(
        _ console: Console, _ authority: LocalAuthority,
        _ configuration: @escaping @Sendable () async -> String, _ servers: [LocalServer],
        _ pages: Task<Void, any Error>, at port: Int
    ) {
        self.console = console
        self.authority = authority
        self.servers = servers
        self.pages = pages
        self.configuration = configuration
        origin = "http://127.0.0.1:\(port)"
        pump = Task {
            while !Task.isCancelled {
                await console.look()
                try? await Task.sleep(for: .milliseconds(150))
            }
        }
    }

    /// What pushauth needs to reach the simulators, by file name.
    func files() async -> [(name: String, text: String)] {
        [
            ("pushauth.toml", await configuration()),
            ("authority.pem", Self.certificate(of: authority)),
        ]
    }

    private static func certificate(of authority: LocalAuthority) -> String {
        (try? String(contentsOf: authority.certificateFile, encoding: .utf8)) ?? ""
    }

    /// Stops the servers, and takes away what was written.
    func stop() async {
        pump.cancel()
        await console.close()
        pages.cancel()
        _ = await pages.result
        for server in servers { await server.stop() }
        authority.removeFile()
    }

    private static func serve(
        _ vendor: ConsoleVendor, _ console: Console, _ authority: LocalAuthority,
        _ patience: Duration
    ) async throws -> LocalServer {
        var settings = LocalServer.Settings()
        settings.patience = patience
        return try await LocalServer.start(
            .modern(authority.identity()), with: settings
        ) { request, body in
            await console.answer(request, body, at: vendor)
        }
    }

    private static func configuration(
        _ vendors: [ConsoleVendor], _ origins: [String: String]
    ) async -> String {
        var sections = [
            """
            # For pushauth: the simulators of push-lab serve. Beside it must be authority.pem.
            [server]
            authorities = "authority.pem"
            plain-http = true

            """
        ]
        for vendor in vendors {
            sections.append(await vendor.configuration(origins[vendor.name] ?? ""))
        }
        return sections.joined(separator: "\n")
    }
}
