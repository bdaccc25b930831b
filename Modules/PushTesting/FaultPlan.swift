public import HTTPTypes

/// What goes wrong with the next exchanges, in order.
public actor FaultPlan {
    /// Something that goes wrong with one exchange.
    @nonexhaustive
    public enum Fault: Hashable, Sendable {
        /// The server can't be reached: it processes nothing, and the client knows.
        case refuse
        /// The connection breaks before the server processes the request; the client can't know.
        case dropBefore
        /// The connection breaks after the server processed the request; the client can't know.
        case dropAfter
        /// The reply takes this long.
        case delay(Duration)
        /// The server gets the request twice; the client gets the second reply.
        case duplicate
        /// The server replies with this status without processing the request.
        case status(Int)
        /// The server gives this reply, without a body and without processing the request.
        case reply(HTTPResponse)
        /// The reply's body is cut to this many bytes.
        case truncate(Int)
        /// One bit of the reply's body is flipped, counted from its first byte's highest bit,
        /// modulo its length.
        case corrupt(bit: Int)
    }

    private struct Planned {
        let faults: [Fault]
        let matches: @Sendable (HTTPRequest) -> Bool
    }

    private var planned: [Planned] = []

    /// Creates a plan in which nothing goes wrong.
    public init() {}

    /// Makes one exchange go wrong: the next that matches and has no faults of an earlier call.
    ///
    /// - Parameters:
    ///   - faults: What goes wrong with it, together.
    ///   - matches: Which exchange; any by default.
    public func next(
        _ faults: Fault..., where matches: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }
    ) {
        planned.append(Planned(faults: faults, matches: matches))
    }

    /// How many planned exchanges haven't come yet.
    public var remaining: Int { planned.count }

    func take(for request: HTTPRequest) -> [Fault] {
        guard let index = planned.firstIndex(where: { $0.matches(request) }) else { return [] }
        return planned.remove(at: index).faults
    }
}
