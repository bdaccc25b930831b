import ArgumentParser
import Foundation
import LocalServer
import TerminalIO

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Host all vendors' simulators, with a web page to enroll, log in and watch.",
        discussion: """
            Everything listens on the loopback interface only, and what happened is gone at Ctrl-C. \
            With --push, pushes go to a push service on this machine, such as `pushauth listen \
            --credentials DIRECTORY` in another shell; without it, they are shown and not delivered.
            """)

    @Option(
        help: ArgumentHelp("The port of the page; 0 lets the system choose.", valueName: "number"))
    var port = 8080

    @Option(
        help: ArgumentHelp(
            "The directory with the push service's credentials.", valueName: "directory"),
        completion: .directory)
    var push: String?

    @Option(
        help: ArgumentHelp(
            "Write pushauth.toml and authority.pem there, for pushauth --config.",
            valueName: "directory"),
        completion: .directory)
    var write: String?

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("A port is 0 to 65535.")
        }
    }

    func run() async throws {
        let sender = PushSender(directory: push.map { URL(fileURLWithPath: $0) })
        let site: ConsoleSite
        do {
            site = try await ConsoleSite.start(
                at: port, sender: sender,
                configurationFile: write.map {
                    URL(fileURLWithPath: $0).appendingPathComponent("pushauth.toml").path
                })
        } catch {
            let reason = (error as? Obstacle)?.description ?? printable("\(error)")
            Terminal.error.write(
                """
                push-lab: Nothing can listen at port \(port): \(reason).
                --port 0 lets the system choose one.

                """)
            throw ExitCode.failure
        }
        do {
            if let write { try await writeFiles(of: site, to: URL(fileURLWithPath: write)) }
            Terminal.output.write("push-lab listens at \(site.origin)/\n")
            await waitForTheEnd()
            await site.stop()
        } catch {
            await site.stop()
            throw error
        }
    }

    private func writeFiles(of site: ConsoleSite, to directory: URL) async throws {
        let files = await site.files()
        do {
            // Whatever the umask is: pushauth takes no configuration that others may write.
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
            for (name, text) in files {
                let file = directory.appendingPathComponent(name)
                try Data(text.utf8).write(to: file)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: file.path)
            }
        } catch {
            Terminal.error.write(
                "push-lab: Nothing can be written to \(printable(directory.path))"
                    + "\(Self.reason(of: error)).\n")
            throw ExitCode.failure
        }
    }

    /// The system's own word on a file, after a colon; empty if it has none.
    private static func reason(of error: any Error) -> String {
        let cause = (error as? CocoaError)?.underlying ?? error
        guard let cause = cause as? POSIXError else { return "" }
        return ": " + String(cString: strerror(cause.code.rawValue))
    }

    private func waitForTheEnd() async {
        let (signals, source) = AsyncStream<Void>.makeStream()
        let interruption = Interruption { source.finish() }
        for await _ in signals {}
        _ = interruption
    }
}
