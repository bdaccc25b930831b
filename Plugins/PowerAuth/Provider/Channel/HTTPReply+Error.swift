import PushCore

extension HTTPReply {
    /// What isn't a success as an error, for whoever has no better word for it; what the server
    /// called it is `underlying`. A reply that says neither yes nor no is `interrupted`.
    var error: PushError {
        guard !(200..<300 ~= status) else {
            return PushError(.interrupted, "The reply says neither that it was done nor that not.")
        }
        guard let refusal else {
            return PushError(
                .server(status: status),
                "A reply with the status \(status), and not in the form of the server's errors.")
        }
        return error(
            refusal == .remoteCommunicationError ? .interrupted : .server(status: status),
            "The server refused.")
    }

    /// The refusal as an error with a given meaning.
    func error(_ meaning: PushError.Code, _ reason: String) -> PushError {
        PushError(meaning, reason, underlying: refusal)
    }
}
