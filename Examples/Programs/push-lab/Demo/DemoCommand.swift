import ArgumentParser
import Foundation
import TerminalIO

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run every flow of every vendor, end to end, and show what came of each.",
        discussion: """
            Each vendor's simulator is hosted over HTTPS and HTTP on the loopback interface, with a \
            certificate made on the spot. The SDK reaches it through its real transport, and keeps \
            its records in files: each device in a temporary directory, taken away at the end. One \
            flow kills a process with the SDK (SIGKILL), and starts it again.

            Exit codes: 0 if every flow went as expected, 1 if one did not, 64 for wrong usage, 130 \
            if interrupted. Colors and the moving line appear on a terminal only; NO_COLOR is respected.
            """)

    @Option(
        help: ArgumentHelp(
            """
            Run one vendor's flows only; may be given more than once. `services` is two vendors on \
            one phone.
            """),
        completion: .list(VendorLabs.names))
    var vendor: [String] = []

    @Flag(help: "Print one JSON object instead of the table.")
    var json = false

    @Flag(
        name: .shortAndLong,
        help: "Show every HTTP exchange, secrets redacted, on standard error.")
    var verbose = false

    @Flag(help: "Go on after a flow that did not go as expected.")
    var keepGoing = false

    func validate() throws {
        let unknown = vendor.filter { !VendorLabs.names.contains($0) }
        guard unknown.isEmpty else {
            throw ValidationError(
                "Unknown vendor '\(unknown.joined(separator: "', '"))'."
                    + " Known: \(VendorLabs.names.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let log = ExchangeLog(isVisible: verbose)
        let labs = VendorLabs.all.filter { vendor.isEmpty || vendor.contains($0.name) }
        let runner = DemoRunner(
            labs: labs, log: log, progress: DemoProgress(Terminal.error), keepsGoing: keepGoing)
        let (interruption, running) = Interruption.cancelling { await runner.run() }
        let rows = try await running.value
        if let exitCode = interruption.exitCode { throw ExitCode(exitCode) }
        if json {
            print(DemoReport(rows).json)
        } else {
            print(DemoReport(rows).table(for: Terminal.output))
        }
        guard rows.allSatisfy({ $0.result == .asExpected }) else { throw ExitCode.failure }
    }
}
