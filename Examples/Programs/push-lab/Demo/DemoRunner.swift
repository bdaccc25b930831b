import PushCore

/// Runs every flow of every vendor, one after the other.
struct DemoRunner {
    let labs: [VendorLabs.Entry]
    let log: ExchangeLog
    let progress: DemoProgress
    let keepsGoing: Bool

    func run() async -> [DemoRow] {
        var rows: [DemoRow] = []
        for entry in labs {
            do {
                let lab = try await entry.open(log)
                let isFine = rows.allSatisfy { $0.result == .asExpected }
                rows += await run(lab, continues: keepsGoing || isFine)
                await lab.close()
            } catch {
                rows.append(
                    DemoRow(
                        vendor: entry.name, flow: "start the simulator", expected: "listening",
                        seen: describe(error), duration: .zero))
            }
        }
        progress.end()
        return rows
    }

    private func run(_ lab: any VendorLab, continues: Bool) async -> [DemoRow] {
        var rows: [DemoRow] = []
        var continues = continues
        let flows = lab.flows
        for (index, flow) in flows.enumerated() {
            guard continues, !Task.isCancelled else {
                rows.append(.skipped(lab.name, flow))
                continue
            }
            progress.begin("\(lab.name): \(flow.name)", index + 1, of: flows.count)
            log.write("── \(lab.name): \(flow.name)")
            let row = await run(flow, of: lab.name)
            progress.finish(row)
            continues = keepsGoing || row.result == .asExpected
            rows.append(row)
        }
        return rows
    }

    private func run(_ flow: DemoFlow, of vendor: String) async -> DemoRow {
        let start = ContinuousClock.now
        var seen: String
        do {
            seen = try await flow.run()
        } catch {
            seen = describe(error)
        }
        if seen.isEmpty { seen = "nothing" }
        return DemoRow(
            vendor: vendor, flow: flow.name, expected: flow.expected, seen: seen,
            duration: start.duration(to: .now))
    }

    private func describe(_ error: any Error) -> String {
        guard let error = error as? PushError else { return "\(error)" }
        return "\(error.code): \(error.reason)"
    }
}
