import Foundation

/// The lines that come through a file, until its other end is closed; it's closed itself then.
enum Lines {
    /// Reads on a thread of its own, as a read blocks.
    static func stream(from handle: FileHandle) -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        Thread.detachNewThread {
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = read(handle.fileDescriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest += buffer[..<count]
                var parts = rest.split(separator: 0x0A, omittingEmptySubsequences: false)
                rest = parts.popLast().map(Array.init) ?? []
                for part in parts { continuation.yield(String(decoding: part, as: UTF8.self)) }
            }
            try? handle.close()
            continuation.finish()
        }
        return lines
    }
}
