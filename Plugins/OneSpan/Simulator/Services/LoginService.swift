import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `login` and `transactions/validate`.
extension OneSpanSimulator {
    /// `POST /v1/users/{user}@{domain}/login`.
    ///
    /// `credentials.passKey` chooses the method; none means none. That the device shows
    /// `loginMessage.challenge` is this project's reading.
    func login(_ user: String, _ members: JSON.Object) async throws(ServiceRefusal) -> ServiceReply
    {
        let message = members["loginMessage"]
        let challenge = message?["challenge"]?.string
        let display = challenge.map { DisplayContent.text($0) } ?? .none
        guard display.isValid(forTransaction: false) else {
            throw .badRequest("loginMessage.challenge has 1 to 4096 bytes.")
        }
        var order = Order(
            user: user, isTransaction: false,
            method: try Self.method(in: members, default: .none), display: display)
        order.title = message?["title"]?["text"]?.string
        order.subject = message?["subject"]?.string
        return try await start(order, asking: members)
    }

    /// `POST /v1/users/{user}@{domain}/transactions/validate`, of `data.transactionMessage` alone.
    func validate(_ user: String, _ members: JSON.Object) async throws(ServiceRefusal)
        -> ServiceReply
    {
        let fields = members["data"]?["transactionMessage"]?["dataFields"]?.array ?? []
        let display = DisplayContent.fields(
            fields.map {
                Field($0["key"]?["text"]?.string ?? "", $0["value"]?["text"]?.string ?? "")
            })
        guard display.isValid(forTransaction: true) else {
            throw .badRequest("A transaction has 1 to 16 data fields of limited length.")
        }
        let order = Order(
            user: user, isTransaction: true,
            method: try Self.method(in: members, default: .password), display: display)
        return try await start(order, asking: members)
    }

    private static func method(
        in members: JSON.Object, default method: AuthenticationMethod
    ) throws(ServiceRefusal) -> AuthenticationMethod {
        guard let passKey = members["credentials"]?["passKey"] else { return method }
        switch passKey.string {
        case "PIN": return .password
        case "Fingerprint", "Face": return .biometric
        default: throw .badRequest("credentials.passKey is unknown.")
        }
    }

    private func start(
        _ order: Order, asking members: JSON.Object
    ) async throws(ServiceRefusal) -> ServiceReply {
        let seconds = members["timeout"] ?? 0
        guard let timeout = seconds.integer, (0...300).contains(timeout) else {
            throw .badRequest("timeout is 0 to 300 seconds.")
        }
        let delivery = (members["orchestrationDelivery"]?.array ?? ["pushNotification"])
            .map { $0.string ?? "" }
        guard !delivery.isEmpty,
            delivery.allSatisfy({ ["pushNotification", "requestMessage"].contains($0) })
        else { throw .badRequest("orchestrationDelivery is unknown.") }
        var order = order
        order.sendsPush = delivery.contains("pushNotification")
        order.sessionID = members["sessionID"]?.string
        guard (1...128).contains(order.sessionID?.utf8.count ?? 1) else {
            throw .badRequest("sessionID has 1 to 128 bytes.")
        }
        let (request, command) = try start(order)
        var reply: JSON.Object = ["requestID": .string(request.id)]
        if delivery.contains("requestMessage") { reply["requestMessage"] = .string(command.hex) }
        let status = timeout == 0 ? .pending : await end(of: request, within: .seconds(timeout))
        switch status {
        case .refused: throw .userRefused
        case .failed: throw .authenticationFailed
        case .timeout: throw .timedOut
        case .pending where timeout > 0: throw .timedOut
        default: break
        }
        reply["sessionStatus"] = .string(status.rawValue)
        return ServiceReply(200, .object(reply))
    }

    /// Waits until a session is over, but not longer than so.
    private func end(of request: Request, within timeout: Duration) async -> SessionStatus {
        let clock = configuration.clock
        let end = clock.elapsed + timeout
        while let status = current(request.id)?.state {
            let left = end - clock.elapsed
            guard status == .pending, left > .zero else { return status }
            let toDeadline = Duration.seconds(request.deadline.timeIntervalSince(clock.now) + 0.001)
            let timer = Task {
                await clock.sleep(for: min(left, max(toDeadline, .milliseconds(1))))
                wake(request.id)
            }
            await withCheckedContinuation { waiting[request.id, default: []].append($0) }
            timer.cancel()
        }
        return .unknown
    }

    private func wake(_ id: String) {
        for waiter in waiting.removeValue(forKey: id) ?? [] { waiter.resume() }
    }
}
