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

            With --store it is a fleet: the accounts are on many devices of a store on servers, and 1, 2 \
            and 4 listeners take the pushes by turns. Beside that are compare-and-sets of a record of \
            the same size in the same store, 8 at once. It makes a fleet in the tenant, which must \
            have none, and leaves it there.

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

    @Option(
        help: ArgumentHelp(
            "A new tenant of a store on servers, as `pushauth --store` takes it.", valueName: "URL")
    )
    var store: String?

    @Option(help: "The file with that store's key.")
    var keyFile: String?

    @Option(help: "How many devices the fleet has.")
    var devices = 100

    @Option(
        help: ArgumentHelp("How many listeners there are, run by run.", valueName: "numbers"),
        transform: { try LoadCommand.numbers($0) })
    var listeners = [1, 2, 4]

    private static func numbers(_ text: String) throws -> [Int] {
        let numbers = text.split(separator: ",").compactMap { Int($0) }
        guard !numbers.isEmpty, numbers.allSatisfy({ (1...64).contains($0) }) else {
            throw ValidationError("--listeners takes numbers from 1 to 64, such as 1,2,4.")
        }
        return numbers
    }

    func validate() throws {
        guard pushes > 0, width > 0, devices > 0 else {
            throw ValidationError("Pushes, width and devices must be at least 1.")
        }
        guard (store == nil) == (keyFile == nil) else {
            throw ValidationError("--store and --key-file go together.")
        }
    }

    func run() async throws {
        let program =
            pushauth.map { URL(fileURLWithPath: $0) }
            ?? LoadLoop.program.deletingLastPathComponent().appendingPathComponent("pushauth")
        let place =
            directory.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let site = try await LoadSite(
            in: place, count: pushes, width: width, enrolling: store == nil)
        do {
            if let store, let keyFile {
                let fleet = FleetLoad(
                    site: site, program: program, store: store, keyFile: keyFile, devices: devices)
                print(try await fleet.report(of: listeners).text)
            } else {
                print(try await LoadRun(site: site, program: program).report().text)
            }
            await site.close()
        } catch {
            await site.close()
            throw error
        }
    }
}
