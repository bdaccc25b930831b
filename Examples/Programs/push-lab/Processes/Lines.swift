import Foundation
import TerminalIO

/// The lines that come through a file, until its other end is closed; it's closed itself then.
enum Lines {
    /// Reads on a thread of its own, as a read blocks.
    static func stream(from handle: FileHandle) -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            var input = BoundedInput(
                descriptor: handle.fileDescriptor, name: "A process", limit: 16 << 20)
            while let line = try? input.line() {
                continuation.yield(String(decoding: line, as: UTF8.self))
            }
            try? handle.close()
            continuation.finish()
        }
        return lines
    }
}
