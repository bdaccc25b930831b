/// Where a transport may send plain HTTP.
public enum PlainHTTP: Hashable, Sendable {
    /// Nowhere.
    case refused
    /// To this machine: `localhost`, `127.0.0.1` and `[::1]`, spelled so.
    case loopbackOnly
    /// Anywhere. Whoever carries the bytes can read and change them.
    case allowed
}
