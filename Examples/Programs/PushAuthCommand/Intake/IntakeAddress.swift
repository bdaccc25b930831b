import ArgumentParser
import PushCore

/// Where an intake listens, as it is typed: `127.0.0.1:8080`, `[::1]:0`, or a port alone.
struct IntakeAddress: ExpressibleByArgument, Hashable, CustomStringConvertible {
    let host: String

    /// 0 lets the system choose.
    let port: Int

    init?(argument: String) {
        let parts = argument.parts(at: ":")
        guard let last = parts.last, !last.isEmpty, last.allSatisfy(\.isASCII),
            let port = UInt16(last), last.allSatisfy(\.isNumber)
        else { return nil }
        self.port = Int(port)
        var host = parts.dropLast().joined(separator: ":")
        switch (parts.count, host.hasPrefix("[") && host.hasSuffix("]")) {
        case (1, _): host = "127.0.0.1"
        case (2, false): break
        case (_, true): host = String(host.dropFirst().dropLast())
        default: return nil
        }
        guard !host.isEmpty else { return nil }
        self.host = host
    }

    /// Whether only this machine reaches it.
    var isLoopback: Bool {
        if ["localhost", "::1"].contains(host) { return true }
        let octets = host.parts(at: ".")
        return octets.count == 4 && octets.allSatisfy { UInt8($0) != nil } && octets[0] == "127"
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
