import ArgumentParser
import Foundation

/// The process with the SDK; `soak` and `demo` start it.
struct SoakDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak-device", abstract: "What soak and demo kill.", shouldDisplay: false)

    @Option var directory: String
    @Option var instance: String
    @Option var authority: String

    func run() async throws {
        let device = try await SoakDevice(
            in: URL(fileURLWithPath: directory, isDirectory: true), as: instance,
            trusting: authority)
        await LineService { try await device.answer($0, $1) }.run()
    }
}

/// The process with the simulator; `soak` starts it.
struct SoakServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak-server", abstract: "Whose word soak takes.", shouldDisplay: false)

    @Option var log: String
    @Option var seed: UInt64
    @Option var pause: Int
    @Option var trouble: Int

    func run() async throws {
        let server = try await SoakServer(
            logFile: URL(fileURLWithPath: log), seed: seed, pause: pause, trouble: trouble)
        await LineService { try await server.answer($0, $1) }.run()
        await server.stop()
    }
}

extension Peer {
    /// The program itself, for another role.
    static var program: URL {
        Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    }

    /// Starts a device; it is ready once it has answered `hello`.
    ///
    /// - Parameters:
    ///   - directory: Where its store is, as ``SoakStore`` has it, and where its errors go.
    ///   - instance: What it is called among the processes that share the store.
    ///   - authority: The certificate of who vouches for the server, as a PEM file.
    /// - Returns: The device.
    /// - Throws: What keeps it from starting.
    static func device(
        in directory: URL, as instance: String, trusting authority: String
    ) throws -> Peer {
        try Peer(
            program,
            [
                "soak-device", "--directory", directory.path, "--instance", instance,
                "--authority", authority,
            ],
            errorFile: directory.appendingPathComponent("\(instance).errors"),
            temporary: directory)
    }
}
