import Foundation
import PushCore
import PushTesting

/// What the many cost: enrolling the 10,000th account beside the 10th of a new store, and looking for
/// what waits beside challenges that are over.
///
/// Each number is the median of twenty, and the two of one line were measured by turns: what else the
/// machine does, it does to both.
struct FleetReport {
    private static let usage = "fleet [--memory] [COUNT] [VENDOR …]"
    private static let window = 20

    private let base: URL
    private let count: Int
    private let vendors: [FleetVendor]

    /// - Parameter arguments: How many accounts, 10,000 if no number is given; which vendors, all if
    ///   none is; `--memory` for a store in memory, without a disk's `fsync`.
    /// - Throws: A refusal of the arguments, or what making the accounts throws.
    init(_ arguments: [String]) throws {
        base =
            arguments.contains("--memory")
            ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory
        count = arguments.compactMap { Int($0) }.first ?? 10_000
        let names = arguments.filter { $0 != "--memory" && Int($0) == nil }
        vendors = FleetVendor.all.filter { names.isEmpty || names.contains($0.name) }
        guard names.allSatisfy({ name in vendors.contains { $0.name == name } }) else {
            throw PushError(.invalidArgument, "Expected \(Self.usage), not \(names).")
        }
    }

    func run() async throws {
        print("Enroll the nth account; \(base.path)")
        row("", ["nth", "ms", "10th", "ratio", "simulator", "reads", "writes", "lists"])
        for vendor in vendors { try await enroll(vendor) }
        for closed in [0, 2_000] { try await look(beside: closed) }
    }

    private func enroll(_ vendor: FleetVendor) async throws {
        let fleet = try await Fleet(vendor, in: base)
        var nth = 10
        while nth <= count {
            while fleet.count < nth - Self.window / 2 { _ = try await fleet.enroll() }
            let other = try await Fleet(vendor, in: base)
            var costs: [Fleet.Cost] = []
            var others: [Fleet.Cost] = []
            for _ in 0..<Self.window {
                costs.append(try await fleet.enroll())
                others.append(try await other.enroll())
            }
            let (own, small) = (median(costs.map(\.client)), median(others.map(\.client)))
            let last = costs[costs.count - 1].counts
            row(
                vendor.name,
                [
                    "\(nth)", format(own), format(small), format(own / small),
                    format(median(costs.map(\.simulator))), "\(last.reads)", "\(last.writes)",
                    "\(last.listings)",
                ])
            nth *= 10
        }
        let ids = try await fleet.authenticator.enrollmentIDs()
        guard let id = ids.first else { return }
        try await time("  one by its ID") { try await fleet.restarted().enrollment(id) }
        try await time("  the IDs of \(ids.count)") { try await fleet.restarted().enrollmentIDs() }
        try await time("  all \(ids.count)") { try await fleet.restarted().enrollments() }
    }

    /// One challenge is open, others are over.
    private func look(beside closed: Int) async throws {
        guard let vendor = vendors.first(where: { $0.name == "forgerock" }) else { return }
        let fleet = try await Fleet(vendor, in: base)
        _ = try await fleet.enroll()
        for number in 0...closed {
            _ = try await fleet.simulator.startLogin(of: "user1", asking: .confirm)
            for push in await fleet.simulator.takePushes() {
                let message = try PushMessage(json: push.payload)
                guard
                    case .notice(let notice, _) = try await fleet.authenticator.receive(message)
                        .first?.kind
                else { throw PushError(.notFound, "The push announced nothing.") }
                if number > 0 { _ = try await fleet.authenticator.deny(notice.id) }
            }
        }
        print("Beside \(closed) challenges that are over")
        try await time("  what waits") { try await fleet.restarted().unfinishedRecords() }
        try await time("  all") { try await fleet.restarted().records() }
    }

    private func time<Value>(_ name: String, _ body: () async throws -> Value) async throws {
        var times: [Double] = []
        for _ in 0..<5 {
            let start = ContinuousClock.now
            _ = try await body()
            times.append((ContinuousClock.now - start).milliseconds)
        }
        row(name, ["", format(median(times))])
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func format(_ number: Double) -> String { String(format: "%.2f", number) }

    private func row(_ name: String, _ columns: [String]) {
        let line = columns.reduce(pad(name, 24)) { $0 + padding(10 - $1.count) + $1 }
        print(line)
        fflush(nil)
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + padding(width - text.count)
    }

    private func padding(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
