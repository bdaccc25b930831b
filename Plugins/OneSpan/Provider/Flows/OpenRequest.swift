import PushCore

/// A request that the engine has a flow for.
struct OpenRequest: Sendable {
    /// How far it is.
    enum Stage: Hashable, Sendable {
        /// The user sees it, and decides.
        case deciding
        /// The user has approved, and proves themselves.
        case authenticating
        /// The answer is made, or on its way.
        case answering(approved: Bool)
    }

    let id: Challenge.ID
    let kind: RequestKind

    /// Its flow in the engine; another one after the server refused a counter.
    var flow: FlowID

    /// What the user sees; `nil` if another process fetched it.
    var request: OneSpanRequest?
    var stage = Stage.deciding

    /// Whether an approval can go on from here.
    var awaitsUser: Bool {
        if case .answering = stage { false } else { true }
    }
}

/// What has been fetched and may be decided, the oldest first.
struct OpenRequests: Sendable {
    /// How many requests stay open.
    static let limit = 32

    private var requests: [OpenRequest] = []

    subscript(id: Challenge.ID) -> OpenRequest? { requests.first { $0.id == id } }

    /// Keeps a request as the newest one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - busy: Requests that stay, however many there are.
    /// - Returns: The flows of the oldest ones, which were dropped as there are too many.
    mutating func keep(_ request: OpenRequest, besides busy: Set<Challenge.ID>) -> [FlowID] {
        drop(request.id)
        requests.append(request)
        var ended: [FlowID] = []
        while requests.count > Self.limit,
            let oldest = requests.first(where: { $0.id != request.id && !busy.contains($0.id) })
        {
            ended.append(oldest.flow)
            drop(oldest.id)
        }
        return ended
    }

    mutating func drop(_ id: Challenge.ID) { drop { $0.id == id } }

    mutating func drop(where isMeant: (OpenRequest) -> Bool) { requests.removeAll(where: isMeant) }
}
