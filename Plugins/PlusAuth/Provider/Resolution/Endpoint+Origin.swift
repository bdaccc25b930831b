import PushCore

extension Endpoint {
    /// The origin in the form that the device identifier is made of: the port only if it isn't the
    /// scheme's own.
    var shortOrigin: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }

    /// The URL with another last path component, and without a query.
    func sibling(_ name: String) -> String {
        let path = path.prefix { $0 != "?" }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return "\(scheme)://\(authority)\(folder)\(name)"
    }
}
