import Foundation
import PushCore
import TerminalIO

/// Pushes as lines of standard input, each one JSON object: the payload as a phone would get it. They are
/// put on record in their order. No line waits for what an earlier one led to, such as an answer that its
/// vendor doesn't take, nor for long for a vendor that is asked about one.
struct StandardInputIntake: Intake {
    let name = "stdin"
    private let reports: @Sendable (Failure) -> Void
    private let finished: @Sendable () -> Void

    /// - Parameters:
    ///   - reports: Hears of lines that are no push.
    ///   - finished: Called once there are no more lines, and the last was taken.
    init(
        reports: @escaping @Sendable (Failure) -> Void, finished: @escaping @Sendable () -> Void
    ) {
        self.reports = reports
        self.finished = finished
    }

    func start(_ taker: @escaping PushTaker) async throws(Failure) -> JSON.Object {
        let lines = Lines()
        let queue = PushQueue(width: 1, taker: taker)
        Task { [name, reports, finished] in
            for await line in lines.stream {
                do {
                    let push = IncomingPush(
                        message: try PushMessage(json: try line.get()), intake: name)
                    _ = try await queue.take(QueuedPush(push: push))
                } catch {
                    reports(Failure(error))
                }
                lines.taken()
            }
            await queue.close()
            finished()
        }
        return [:]
    }

    func stop() async {}

    /// A thread of its own reads, as a read of standard input can't be given up; it waits while lines of
    /// it wait to be taken.
    private struct Lines: Sendable {
        let stream: AsyncStream<Result<Data, any Error>>
        private let room = DispatchSemaphore(value: 64)

        /// Larger than any push.
        private static let limit = 64 << 10

        init() {
            let (stream, writer) = AsyncStream<Result<Data, any Error>>.makeStream()
            self.stream = stream
            Thread.detachNewThread { [room] in
                var input = BoundedInput(
                    descriptor: STDIN_FILENO, name: "Standard input", limit: Self.limit)
                while true {
                    let line: Result<Data, any Error>
                    do throws(BoundedInput.Fault) {
                        guard let bytes = try input.line() else { break }
                        line = .success(Data(bytes))
                    } catch {
                        line = .failure(error)
                    }
                    if case .success(let bytes) = line, bytes.isEmpty { continue }
                    room.wait()
                    writer.yield(line)
                    if case .failure(BoundedInput.Fault.unreadable) = line { break }
                }
                writer.finish()
            }
        }

        /// Makes room for another line.
        func taken() { room.signal() }
    }
}
