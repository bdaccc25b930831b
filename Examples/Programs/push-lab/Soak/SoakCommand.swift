import ArgumentParser
import Foundation
import TerminalIO

struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Kill the SDK at random instants, and check that it keeps its promises.",
        discussion: """
            A process with the SDK enrolls, receives and answers over HTTPS against a server process, \
            which is AM, whose answers are kept whole, and a manager, whose answers are kept \
            without the PIN's proof. It is killed (SIGKILL) while it works, started again on \
            the same store, and gets every push once more. It sends again what was kept whole, asks \
            what became of the rest, and has the user make again what nobody knows of. Then two \
            processes that share one store answer the same challenges of AM at the same instants. \
            The server's own log and the store on disk say whether a decision was doubled or lost, \
            an enrollment lost, a challenge shown twice, an answer made again before the manager was \
            asked, a record damaged, or a PIN kept.

            The seed says what is done and when it is killed, counted from its start or from the moment \
            an answer with a PIN comes to the server; what that interrupts is the machine's choice. \
            It stops at the first violation, and keeps its files then.

            Exit codes: 0 if nothing was violated, 1 if something was, 64 for wrong usage, 130 if \
            interrupted. Colors and the moving line appear on a terminal only; NO_COLOR is respected.
            """)

    @Option(help: "How often to kill.")
    var kills = 30

    @Option(help: "How many challenges two processes answer at once.")
    var rounds = 200

    @Option(help: "What to draw everything from; random if not given.")
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            """
            Keep the devices' records on servers instead of in a directory: etcd://… or postgres://…, as \
            `pushauth --store` takes it. A run has a scope of its own in the tenant, and takes its \
            records away.
            """, valueName: "URL"))
    var store: String?

    @Option(help: "The file with that store's key; it is what makes a new one.")
    var keyFile: String?

    @Option(help: "A configuration of pushauth whose [store] says how the servers are reached.")
    var config: String?

    @Flag(help: "Print one JSON object instead of the report.")
    var json = false

    @Flag(help: "Keep the stores, logs and errors, and print where they are.")
    var keep = false

    func validate() throws {
        guard kills >= 0, rounds >= 0 else {
            throw ValidationError("Neither kills nor rounds can be negative.")
        }
        guard (store == nil) == (keyFile == nil), config == nil || store != nil else {
            throw ValidationError("--store and --key-file go together, and --config with them.")
        }
    }

    func run() async throws {
        var runner = SoakRunner(
            kills: kills, rounds: rounds, seed: seed ?? .random(in: 0..<1_000_000), keeps: keep,
            progress: DemoProgress(Terminal.error))
        runner.servers = store.map { url in
            SoakStore.Servers(
                url: url, keyFile: keyFile ?? "", configuration: config,
                scope: "soak/\(UInt64.random(in: 0...(.max)))")
        }
        let (interruption, running) = Interruption.cancelling { [runner] in await runner.run() }
        let report = try await running.value
        print(json ? report.json : report.text(for: Terminal.output))
        if let exitCode = interruption.exitCode { throw ExitCode(exitCode) }
        guard report.violations.isEmpty else { throw ExitCode.failure }
    }
}
