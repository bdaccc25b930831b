import Foundation
import HTTPTypes
import PushCore

/// Breaks off all exchanges at once, for Ctrl-C.
///
/// The authenticator lets a decision that is half sent go on when its caller gives up; a command
/// that is to end can't wait for that. The exchange is broken off instead, so that the authenticator
/// notes that nothing is known of the decision, and leaves it to the next command. A lock guards what
/// changes, which is why `@unchecked Sendable` is safe.
final class Cutoff: @unchecked Sendable {
    private let lock = NSLock()
    private var exchanges: [Int: @Sendable () -> Void] = [:]
    private var last = 0
    private var isCut = false

    /// Whether there was any exchange.
    var hasExchanged: Bool { lock.withLock { last > 0 } }

    /// Breaks off what is under way, and whatever comes after.
    func cut() {
        let all = lock.withLock {
            isCut = true
            return exchanges.values
        }
        for cancel in all { cancel() }
    }

    fileprivate func add(_ cancel: @escaping @Sendable () -> Void) -> Int {
        let (number, isLate) = lock.withLock {
            last += 1
            exchanges[last] = cancel
            return (last, isCut)
        }
        if isLate { cancel() }
        return number
    }

    fileprivate func remove(_ number: Int) {
        lock.withLock { exchanges[number] = nil }
    }
}

/// A network whose exchanges can be broken off.
struct CutoffTransport: Transport {
    let base: any Transport
    let cutoff: Cutoff

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let exchange = Task { [base] in
            await Result { () async throws(PushError) in try await base.send(request, body: body) }
        }
        let number = cutoff.add { exchange.cancel() }
        defer { cutoff.remove(number) }
        return try await withTaskCancellationHandler {
            await exchange.value
        } onCancel: {
            exchange.cancel()
        }.get()
    }
}
