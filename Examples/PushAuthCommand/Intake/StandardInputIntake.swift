import Foundation
import PushCore

/// Pushes as lines of standard input, each one JSON object: the payload as a phone would get it.
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
        let lines = Self.lines()
        Task { [name, reports, finished] in
            for await line in lines where !line.isEmpty {
                do {
                    let message = try PushMessage(json: line)
                    let taken = await taker(IncomingPush(message: message, intake: name))
                    await taken.answered().rest?()
                } catch {
                    reports(Failure(error))
                }
            }
            finished()
        }
        return [:]
    }

    func stop() async {}

    /// A thread of its own reads, as a read of standard input can't be given up.
    private static func lines() -> AsyncStream<Data> {
        let (lines, writer) = AsyncStream<Data>.makeStream()
        Thread.detachNewThread {
            // What people save by hand may begin with a byte order mark.
            if let first = readLine() { writer.yield(Data(first.withoutByteOrderMark.utf8)) }
            while let line = readLine() { writer.yield(Data(line.utf8)) }
            writer.finish()
        }
        return lines
    }
}

extension String {
    /// Without a mark of its encoding at its start.
    var withoutByteOrderMark: Substring {
        unicodeScalars.first == "\u{FEFF}"
            ? self[unicodeScalars.index(after: startIndex)...] : self[...]
    }
}
