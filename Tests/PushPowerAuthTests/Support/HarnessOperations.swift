import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

/// What a phone does with operations, and what went over its network.
extension PowerAuthHarness {
    /// Has an operation made for the user, and fetches it.
    func received(
        _ template: Bank.Template = .payment, at id: Enrollment.ID
    ) async throws -> Challenge.ID {
        let operation = try await bank.ask(template)
        _ = try await authenticator.pending(for: id)
        return Challenge.ID(operation, of: id)
    }

    /// Has an operation made, fetched and opened.
    func opened(
        _ template: Bank.Template = .payment, at id: Enrollment.ID
    ) async throws -> Challenge {
        try await authenticator.challenge(try await received(template, at: id))
    }

    /// Finds what waits, and opens an operation.
    func open(_ operation: String, at id: Enrollment.ID) async throws -> Challenge {
        _ = try await authenticator.pending(for: id)
        return try await authenticator.challenge(Challenge.ID(operation, of: id))
    }

    @discardableResult
    func approve(
        _ operation: String, at id: Enrollment.ID, extras: (any Sendable)? = nil
    ) async throws -> Outcome {
        let challenge = try await open(operation, at: id)
        return try await authenticator.resolve(challenge, with: .approve, extras: extras)
    }

    func ledger(_ operation: String, at id: Enrollment.ID) async throws -> ChallengeRecord.State? {
        try await state(of: Challenge.ID(operation, of: id))
    }

    /// Takes the bank's pushes as the app would.
    @discardableResult
    func deliver() async throws -> [Reception] {
        try await receive(from: simulator)
    }

    /// Makes the next exchange of a call go wrong.
    func fail(_ call: Bank.Call, _ fault: FaultPlan.Fault, times: Int = 1) async {
        for _ in 0..<times { await faults.next(fault) { $0.path == call.rawValue } }
    }

    /// How often the phone made a call that the server or who stands before it answered.
    func calls(_ call: Bank.Call) async -> Int {
        await transport.exchanges.count { $0.request.path == call.rawValue }
    }

    /// The bodies that were posted to a call, oldest first.
    func bodies(_ call: Bank.Call) async throws -> [JSON] {
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

/// What an error says, or nothing if there was none.
func code<Value>(of body: () async throws -> Value) async -> PushError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? PushError)?.code
    }
}

/// How many attempts are left, if an error says that a proof was wrong.
func attemptsLeft(_ body: () async throws -> Void) async -> Int? {
    guard case .notTaken(let refusal)? = await code(of: body), refusal.reason == .verification,
        refusal.mayRetry
    else { return nil }
    return refusal.attemptsLeft
}

extension Secret {
    var array: [UInt8] { withBytes { Array($0) } }
}
