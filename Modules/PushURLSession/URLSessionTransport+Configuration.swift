import Foundation  // TimeInterval, beside URLSession, which needs all of it
public import PushCore

extension URLSessionTransport {
    /// What a transport allows and how long it waits.
    ///
    /// Verification of the server has no switch.
    public struct Configuration: Hashable, Sendable {
        /// Where plain HTTP may go; `refused` by default.
        ///
        /// App Transport Security must allow it as well.
        public var plainHTTP: PlainHTTP

        /// Which servers must also show which keys; none by default.
        ///
        /// Plain HTTP to a host with pins is refused, whatever ``plainHTTP`` says.
        public var pins: ServerPins

        /// How long the whole exchange may take; 30 seconds by default, and never less than one
        /// millisecond.
        public var timeout: Duration

        /// The most bytes a reply's body may have; 1 MiB by default.
        public var maximumBodySize: Int

        /// Creates a configuration; each value not given keeps its default.
        public init(
            plainHTTP: PlainHTTP = .refused,
            pins: ServerPins = ServerPins(),
            timeout: Duration = .seconds(30),
            maximumBodySize: Int = 1 << 20
        ) {
            self.plainHTTP = plainHTTP
            self.pins = pins
            self.timeout = timeout
            self.maximumBodySize = maximumBodySize
        }
    }
}

extension Duration {
    /// Seconds, at least a thousandth.
    var timeInterval: TimeInterval {
        let (seconds, attoseconds) = components
        return max(0.001, TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18)
    }
}
