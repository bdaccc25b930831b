import Foundation
import HTTPTypes
import PushCore

/// Writes what came to the server and what it replied, one line of JSON each.
///
/// It reads the requests by itself, not by the simulator: neither can hide the other's mistake.
actor ServerLog {
    private let file: FileHandle
    private let start = ContinuousClock.now
    private var lastNumber: Int64 = 0

    /// How many answers with a PIN have come.
    private(set) var approvals: Int64 = 0

    init(_ url: URL) throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        file = try FileHandle(forWritingTo: url)
    }

    /// Notes a request, and returns the number of the exchange.
    func arrived(_ request: HTTPRequest, _ body: Data) -> Int64 {
        lastNumber += 1
        let request = ServerExchange.Request(request, body)
        if case .approval = request { approvals += 1 }
        var line = request.json
        line["exchange"] = .number(JSON.Number(lastNumber))
        write(line)
        return lastNumber
    }

    /// Notes a reply, before it leaves.
    func replied(_ number: Int64, _ status: Int, _ body: Data) {
        var line: JSON.Object = [
            "exchange": .number(JSON.Number(number)),
            "status": .number(JSON.Number(Int64(status))),
        ]
        line["word"] = ServerExchange.word(in: body).map(JSON.string)
        write(line)
    }

    private func write(_ line: JSON.Object) {
        var line = line
        let passed = start.duration(to: .now) / .milliseconds(1)
        line["at"] = .number(JSON.Number(Int64(passed)))
        try? file.write(contentsOf: Data((JSON.object(line).text + "\n").utf8))
    }
}
