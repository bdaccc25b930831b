import PushCore

extension Reply {
    /// The refusal as an error, for whoever has no better word for it; what the server called it is
    /// `underlying`. A reply that says neither yes nor no is `interrupted`.
    var error: PushError {
        guard isRefusal else {
            return PushError(.interrupted, "The reply says neither that it was done nor that not.")
        }
        return error(
            code == PowerAuthErrorCode.remoteCommunicationError.rawValue
                ? .interrupted : .server(status: status), "The server refused.")
    }

    /// The refusal as an error with a given meaning.
    func error(_ meaning: PushError.Code, _ reason: String) -> PushError {
        PushError(meaning, reason, underlying: code.flatMap(PowerAuthErrorCode.init(rawValue:)))
    }

    /// Whether the server refused for a reason.
    func isRefusal(_ reason: PowerAuthErrorCode) -> Bool { code == reason.rawValue }
}
