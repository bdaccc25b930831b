package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server of this computer that a test starts, and ends by its process.
package final class ServerProcess: Sendable {
    /// Its process.
    package let id: Int32
    private let process: SendableProcess
    private let log: URL

    /// Starts a program, with what it says in a file.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - log: The file for what it says; it is added to.
    ///   - environment: Variables beside this process's own.
    /// - Throws: What the system says if it can't be started.
    package init(
        _ arguments: [String], log: URL, environment: [String: String] = [:]
    ) throws {
        if !FileManager.default.fileExists(atPath: log.path) {
            try Data().write(to: log)
        }
        let output = try FileHandle(forWritingTo: log)
        try output.seekToEnd()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.close()
        id = process.processIdentifier
        self.process = SendableProcess(process: process)
        self.log = log
    }

    deinit { end(SIGKILL) }

    /// Whether it still runs.
    package var isRunning: Bool { process.process.isRunning }

    /// What it said so far.
    package var output: String {
        (try? Data(contentsOf: log)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Sends a signal.
    package func send(_ signal: Int32) {
        if process.process.isRunning { kill(id, signal) }
    }

    /// Sends a signal, also to a stopped process, and waits for the end.
    package func end(_ signal: Int32 = SIGKILL) {
        guard process.process.isRunning else { return }
        kill(id, signal)
        kill(id, SIGCONT)
        process.process.waitUntilExit()
    }

    /// Ports of this machine that nobody uses right now, and that the system gives nobody who doesn't
    /// ask for them.
    package static func freePorts(_ count: Int) -> [UInt16] {
        var ports: Set<UInt16> = []
        while ports.count < count {
            let port = UInt16.random(in: 12_000..<32_000)
            if canBind(port) { ports.insert(port) }
        }
        return Array(ports)
    }

    private static func canBind(_ port: UInt16) -> Bool {
        #if os(Linux)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let file = socket(AF_INET, type, 0)
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// Foundation's `Process` locks itself; that is why `@unchecked Sendable` is safe.
private struct SendableProcess: @unchecked Sendable {
    let process: Process
}

/// A folder that goes with its test.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init(_ name: String) throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
