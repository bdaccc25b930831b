import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

extension Handset {
    /// Has an operation made for the user, and fetches it.
    func received(
        _ template: PowerAuthSimulator.OperationTemplate = .payment, at id: Enrollment.ID
    ) async throws -> Challenge.ID {
        let operation = try await simulator.createOperation(for: "petr", template)
        _ = try await authenticator.pending(for: id)
        return Challenge.ID(operation.id, of: id)
    }

    /// Has an operation made, fetched and opened.
    func opened(
        _ template: PowerAuthSimulator.OperationTemplate = .payment, at id: Enrollment.ID
    ) async throws -> Challenge {
        try await authenticator.challenge(try await received(template, at: id))
    }

    /// How an operation stands at the server.
    func serverStatus(
        _ id: Challenge.ID
    ) async throws -> PowerAuthSimulator.OperationStatus {
        try await simulator.operation(id.name).status
    }

    /// The bodies that were posted to a call, oldest first.
    func bodies(_ call: PowerAuthSimulator.Call) async throws -> [JSON] {
        try await transport.exchanges.filter { $0.request.path == call.rawValue }
            .map { try JSON(parsing: $0.body) }
    }

    /// The header that signed the last request, if one did.
    var lastSignature: String? {
        get async {
            let name = HTTPField.Name("X-PowerAuth-Authorization")
            let headers = await transport.exchanges.last?.request.headerFields
            return name.flatMap { headers?[$0] }
        }
    }

    /// Lets time pass, here and at the server.
    func pass(_ seconds: Int) {
        clock.advance(by: .seconds(seconds))
        serverClock.advance(by: .seconds(seconds))
    }

    /// A device whose user has set up a finger, too.
    static func withFinger() async throws -> (handset: Handset, id: Enrollment.ID) {
        let handset = try await Handset()
        await handset.keypad.lay(finger: Secret([UInt8](repeating: 7, count: 32)))
        return (handset, try await handset.activated())
    }

    static func active() async throws -> (handset: Handset, id: Enrollment.ID) {
        let handset = try await Handset()
        return (handset, try await handset.activated())
    }
}

extension PowerAuthSimulator.OperationTemplate {
    /// The payment, changed.
    static func payment(
        _ change: (inout PowerAuthSimulator.OperationTemplate) -> Void
    ) -> PowerAuthSimulator.OperationTemplate {
        var template = payment
        change(&template)
        return template
    }

    static var oneFactor: PowerAuthSimulator.OperationTemplate {
        payment { $0.approval = .oneFactor }
    }
}
