import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// A bank: PowerAuth's servers in one, with a clock of their own.
struct Bank: Sendable {
    typealias Call = PowerAuthSimulator.Call
    typealias Template = PowerAuthSimulator.OperationTemplate

    static let start = Date(timeIntervalSince1970: 1_790_000_000)
    static let user = "petra"

    let clock: ManualClock
    let simulator: PowerAuthSimulator

    init(seed: UInt64 = 1) {
        clock = ManualClock(Self.start)
        simulator = PowerAuthSimulator(.init(clock: clock, random: SeededRandom(seed: seed)))
    }

    func configure(
        _ change: @Sendable (inout PowerAuthSimulator.Configuration) -> Void
    ) async {
        await simulator.configure(change)
    }

    /// Asks the user something.
    func ask(
        _ template: Template = .payment, _ change: (inout Template) -> Void = { _ in }
    ) async throws -> String {
        var template = template
        change(&template)
        return try await simulator.createOperation(for: Self.user, template).id
    }

    func status(_ operation: String) async throws -> PowerAuthSimulator.OperationStatus {
        try await simulator.operation(operation).status
    }

    func status(_ challenge: Challenge.ID) async throws -> PowerAuthSimulator.OperationStatus {
        try await status(challenge.name)
    }

    func record(_ id: Enrollment.ID) async throws -> PowerAuthSimulator.ActivationRecord {
        try await simulator.activation(id.name)
    }

    /// Every request of a kind that reached the server.
    func requests(_ call: Call) async -> [RecordedExchange] {
        await simulator.exchanges.filter { $0.request.path == call.rawValue }
    }

    func count(_ call: Call) async -> Int { await requests(call).count }

    /// The values of an activation's counter that signed requests came with, in the order they came.
    func counters(of id: Enrollment.ID) async -> [Int] {
        var found: [Int] = []
        for exchange in await simulator.exchanges {
            guard
                let used = await simulator.usedCounter(
                    by: exchange.request, body: exchange.body),
                used.activation == id.name
            else { continue }
            found.append(used.number)
        }
        return found
    }

    /// What the request object of the last call of a kind was.
    func sent(_ call: Call) async throws -> JSON {
        let body = try #require(await requests(call).last).body
        return try #require(try JSON(parsing: body)["requestObject"])
    }

    /// The pairs of a header of the last call of a kind.
    func header(_ name: String, of call: Call) async throws -> [String: String] {
        let request = try #require(await requests(call).last).request
        let field = try #require(HTTPField.Name(name))
        let text = try #require(request.headerFields[field])
        return Self.pairs(text)
    }

    /// The pairs of a header, read by its quotes.
    static func pairs(_ text: String) -> [String: String] {
        var pairs: [String: String] = [:]
        for match in text.matches(of: #/([a-z_]+)="([^"]*)"/#) {
            pairs[String(match.output.1)] = String(match.output.2)
        }
        return pairs
    }
}
