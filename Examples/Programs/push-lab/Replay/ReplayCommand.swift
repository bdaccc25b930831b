import ArgumentParser
import Foundation
import PushCore
import TerminalIO

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play what `pushauth --capture` wrote, and say where it ends differently.",
        discussion: """
            The vendor's simulator and a new device get keys of their own. Each message is made and \
            signed again, right or wrong as recorded, and each answer is given again; exchanges that \
            failed fail again. A line for each verdict of the capture says whether it is the same here.

            Nothing leaves this process. Exit codes: 0 if all that could be played went as recorded, 1 \
            if something did not, nothing could be played, or the capture can't be read; 64 for wrong \
            usage.
            """)

    @Argument(help: "The capture.", completion: .file(extensions: ["pushcap"]))
    var file: String

    @Flag(help: "Print one JSON object a line.") var json = false

    func run() async throws {
        let rows: [ReplayRow]
        do {
            rows = try await play()
        } catch let failure as ReplayFailure {
            Terminal.error.write("push-lab: \(printable(file)), \(failure.text)\n")
            throw ExitCode.failure
        }
        for row in rows { print(json ? row.json.text : row.text) }
        var differing = 0
        var played = 0
        for row in rows {
            switch row.result {
            case .same: played += 1
            case .differs:
                played += 1
                differing += 1
            case .unplayed: break
            }
        }
        Terminal.error.write(
            "\(played) verdicts played, \(differing) differ, \(rows.count - played) not played\n")
        guard played > 0, differing == 0 else { throw ExitCode.failure }
    }

    private func play() async throws -> [ReplayRow] {
        let data: Data
        do throws(BoundedInput.Fault) {
            var input = try BoundedInput(file, limit: 256 << 20)
            data = try input.all()
        } catch {
            throw ReplayFailure(error.description)
        }
        let capture = try CaptureReading(data, knowing: LabVendors.all.map(\.name))
        var rows: [ReplayRow] = []
        for (name, lines) in capture.providers {
            let cases = ReplayCase.all(in: lines)
            guard !cases.isEmpty, let vendor = LabVendors.all.first(where: { $0.name == name })
            else { continue }
            let run = try await ReplayRun(name, vendor.replay())
            for replayed in cases { rows += await run.play(replayed) }
        }
        return rows.sorted { $0.line < $1.line }
    }
}
