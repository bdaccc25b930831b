/// A request that was fetched, and what its flow in the engine waits for.
struct OpenRequest: Sendable {
    /// Its flow in the engine; another one after the server refused a counter.
    var flow: FlowID

    /// What the user sees; `nil` if another process fetched it.
    var request: DisplayRequest?

    var run: RemoteRun

    /// Whether an approval can go on from here.
    var awaitsUser: Bool {
        switch run.state {
        case .deciding, .denying, .authenticating: true
        default: false
        }
    }
}

/// The last that was heard of a request, beyond what an outcome can say.
enum RequestWord: Sendable {
    case answered(RemoteAuthenticationResult)
    case outdated(SessionOutdatedReason)
    case refused(ServerError)
}
