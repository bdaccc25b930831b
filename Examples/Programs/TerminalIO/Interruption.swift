import Dispatch
import Foundation

/// Turns Ctrl-C, or a request to end, into a call, so that what was started is put away first.
///
/// The second one ends the process as it always does. A lock guards what changes, which is why
/// `@unchecked Sendable` is safe.
public final class Interruption: @unchecked Sendable {
    private let lock = NSLock()
    private var number: Int32?
    private let source: any DispatchSourceRead

    /// What the process exits with, as shells count it; `nil` if nobody interrupted it.
    public var exitCode: Int32? { lock.withLock { number.map { 128 + $0 } } }

    /// Waits for signals until it goes away.
    ///
    /// - Parameter handler: What to call once.
    public init(_ handler: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeReadSource(fileDescriptor: Self.pipe.reading)
        source.setEventHandler { [weak self] in
            var number: UInt8 = 0
            guard read(Self.pipe.reading, &number, 1) == 1 else { return }
            self?.lock.withLock { self?.number = Int32(number) }
            handler()
        }
        source.resume()
        // A handler may do next to nothing, and it can't capture: it writes to a pipe.
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                signal(number, SIG_DFL)
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Interruption.pipe.writing, &byte, 1)
            }
        }
    }

    /// Starts work that is cancelled if somebody interrupts it.
    ///
    /// It begins once signals are waited for: before that, one ends the process without a word.
    ///
    /// - Parameters:
    ///   - handler: What else to call then.
    ///   - work: The work.
    /// - Returns: What interrupts the work, and its task.
    public static func cancelling<Value: Sendable>(
        and handler: @escaping @Sendable () -> Void = {},
        _ work: @escaping @Sendable () async throws -> Value
    ) -> (interruption: Interruption, task: Task<Value, any Error>) {
        let (start, announce) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in start {}
            return try await work()
        }
        let interruption = Interruption {
            task.cancel()
            handler()
        }
        announce.finish()
        return (interruption, task)
    }

    deinit {
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        source.cancel()
    }

    private static let pipe: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        _ = Foundation.pipe(&ends)
        return (ends[0], ends[1])
    }()
}
