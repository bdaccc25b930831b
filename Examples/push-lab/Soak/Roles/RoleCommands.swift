import ArgumentParser
import Foundation

/// The process with the SDK; `soak` starts it.
struct SoakDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak-device", abstract: "What soak kills.", shouldDisplay: false)

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
