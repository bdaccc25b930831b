import ArgumentParser
import Foundation
import TerminalIO

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract:
            "Send pushauth as many pushes as it takes, and measure it beside what it stands on.",
        discussion: """
            As many accounts are enrolled at AM's simulator as there are pushes. `pushauth listen`, a \
            process of its own, takes one push for each over HTTP, approves it by a policy, and \
            answers the simulator over HTTPS. The time goes from the first push to the last answer; \
            the processor's time is what the kernel counts for that process.

            Beside it: how many logins a store's bare compare-and-set would allow, with as many \
            writes of the same size in the same directory's file system; and a process that sends the \
            same pushes to a server which only acknowledges them, and the same answers to the \
            simulator, over libcurl and without a store.

            Only the ratios of one run mean much on a machine that does other things as well.
            """)

    @Option(help: "How many pushes, each to an account of its own.")
    var pushes = 2_000

    @Option(help: "How many are under way at once.")
    var width = 16

    @Option(
        help: ArgumentHelp(
            "The pushauth to run; by default the one beside this program.", valueName: "file"),
        completion: .file())
    var pushauth: String?

    @Option(
        help: ArgumentHelp(
            "Where the stores are made; by default where temporary files are.",
            valueName: "directory"),
        completion: .directory)
    var directory: String?

    func validate() throws {
        guard pushes > 0, width > 0 else {
            throw ValidationError("Both pushes and width must be at least 1.")
        }
    }

    func run() async throws {
        let program =
            pushauth.map { URL(fileURLWithPath: $0) }
            ?? LoadLoop.program.deletingLastPathComponent().appendingPathComponent("pushauth")
        let place =
            directory.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let site = try await LoadSite(in: place, count: pushes, width: width)
        do {
            let report = try await LoadRun(site: site, program: program).report()
            print(report.text)
            await site.close()
        } catch {
            await site.close()
            throw error
        }
    }
}
