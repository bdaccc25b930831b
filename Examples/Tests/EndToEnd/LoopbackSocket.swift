import Foundation

/// TCP connections to this machine, for what no client of HTTP would do.
enum LoopbackSocket {
    /// Connects to a port.
    ///
    /// - Returns: The descriptor, which is the caller's to close; `nil` if nobody listens there.
    static func connect(to port: Int) -> Int32? {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafeBytes(of: &address) { bytes in
            Foundation.connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        guard connected == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
