import Foundation
import LocalServer
import PushAcmeSimulator
import PushCore
import PushTesting

/// Acme's simulator behind a server on this machine, with one user, jane.
///
/// Standard error tells the text of her code, and what becomes of each login. A line of standard input
/// starts a login, and standard output has its pushes, for `pushauth listen --stdin`.
@main
enum AcmeServer {
    // On the main thread, which may wait for a line: requests are answered on others.
    @MainActor static func main() async throws {
        let simulator = AcmeSimulator()
        let server = try await LocalServer.start { await simulator.respond(to: $0, body: $1) }
        await simulator.move(to: server.origin)
        tell(await simulator.invitation(for: "jane").scannedText ?? "")
        while readLine() != nil {
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            let pushes = await simulator.takePushes()
            for push in pushes {
                FileHandle.standardOutput.write(push.payload + Data("\n".utf8))
            }
            // Without a device, nobody can answer.
            while !pushes.isEmpty, try await simulator.status(of: login.id) == .waiting {
                try await Task.sleep(for: .milliseconds(100))
            }
            tell("\(try await simulator.status(of: login.id))")
        }
        await server.stop()
    }

    private static func tell(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
