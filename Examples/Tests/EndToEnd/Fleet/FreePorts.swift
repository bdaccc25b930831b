import Foundation
import Testing

/// Ports of this machine that nobody uses, and that the system gives nobody who doesn't ask for them:
/// a server is told its port before it starts.
enum FreePorts {
    static func take(_ count: Int) -> [Int] {
        var ports: Set<Int> = []
        while ports.count < count {
            let port = Int.random(in: 12_000..<32_000)
            if canBind(port) { ports.insert(port) }
        }
        return Array(ports)
    }

    private static func canBind(_ port: Int) -> Bool {
        #if os(Linux)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let file = socket(AF_INET, type, 0)
        defer { close(file) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
