import Foundation

/// A connection on which a client sends too little, and waits.
enum SlowClient {
    /// Connects to a port of this machine, sends some bytes, and reads until the server closes.
    ///
    /// - Returns: What the server sent; `nil` if it didn't close for a minute.
    @concurrent
    static func exchange(with port: Int, _ text: String) async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: talk(to: port, text)) }
        }
    }

    private static func talk(to port: Int, _ text: String) -> String? {
        guard let descriptor = LoopbackSocket.connect(to: port) else { return nil }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = Array(text.utf8).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
        var reply = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            // A reset is an end, too; a timeout is none.
            if count == 0 || count < 0 && errno == ECONNRESET {
                return String(decoding: reply, as: UTF8.self)
            }
            guard count > 0 else { return nil }
            reply.append(contentsOf: buffer.prefix(count))
        }
    }
}
