import Foundation
import Testing

@testable import push_lab

/// A real haproxy, set up as the guide to fleets shows it: its addresses, ports and files alone are
/// others.
final class HAProxy: Sendable {
    /// Where the guide's processes listen, at addresses of their own.
    struct Ports: Sendable {
        private let numbers = FreePorts.take(6)

        var web: Int { numbers[0] }
        var apns: Int { numbers[1] }

        /// Each port of the guide, and the test's.
        var replacements: [(guide: String, own: String)] {
            [
                (":8443", ":\(numbers[2])"), (":8444", ":\(numbers[3])"),
                ("2:2197", "2:\(numbers[4])"), ("port 8081", "port \(numbers[5])"),
                ("1:2197", "1:\(numbers[4])"), ("3:2197", "3:\(numbers[4])"),
                ("bind :443", "bind 127.0.0.1:\(web)"), ("bind :2197", "bind 127.0.0.1:\(apns)"),
            ]
        }

        /// What a process is told, at an address.
        func options(at address: String) -> [String] {
            zip(["fcm", "http", "apns", "ready"], numbers[2...]).flatMap { name, port in
                ["--\(name)", "\(address):\(port)"]
            }
        }

        func ready(at address: String) -> String { "http://\(address):\(numbers[5])/ready" }
        func fcm(at address: String) -> String { "https://\(address):\(numbers[2])" }
    }

    /// The addresses of the processes, as the guide has them but for the first number.
    static let addresses = [11, 12, 13].map { "127.0.0.\($0)" }

    private let child: ChildProcess

    /// - Parameters:
    ///   - ports: Where it listens, and what is behind it.
    ///   - directory: Where `push.pem` and `listeners.pem` are.
    /// - Returns: haproxy, which takes connections.
    /// - Throws: What keeps it from starting.
    static func start(_ ports: Ports, in directory: URL) async throws -> HAProxy {
        var configuration = try FleetGuide.fence("haproxy")
        let replacements =
            ports.replacements + [
                ("10.0.0.", "127.0.0."), ("/etc/haproxy/", directory.path + "/"),
            ]
        for (guide, own) in replacements {
            try #require(configuration.contains(guide), "\(guide)")
            configuration = configuration.replacingOccurrences(of: guide, with: own)
        }
        let file = directory.appendingPathComponent("haproxy.cfg")
        try Data(configuration.utf8).write(to: file)
        let child = try ChildProcess(
            URL(fileURLWithPath: "/usr/sbin/haproxy"), ["-db", "-q", "-f", file.path],
            streams: (.nullDevice, .nullDevice, .standardError))
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(30) {
            if let socket = LoopbackSocket.connect(to: ports.apns) {
                close(socket)
                return HAProxy(child)
            }
            try #require(child.isRunning)
            try await Task.sleep(for: .milliseconds(50))
        }
        child.kill()
        throw Browser.Failure("haproxy doesn't start.")
    }

    private init(_ child: ChildProcess) {
        self.child = child
    }

    deinit { child.kill() }

    func stop() async {
        child.kill()
        _ = await child.ended()
    }
}
