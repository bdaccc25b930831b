extension PushError {
    /// Whether an answer that failed this way is sent again later.
    var maySendAgain: Bool {
        switch code {
        case .unreachable, .interrupted, .cancelled, .server(status: 500...),
            .server(status: 429):
            true
        default: false
        }
    }

    /// Whether it says that this device can't right now, such as a store that is locked.
    var isPassing: Bool { [.storage, .storageUnknown, .conflict].contains(code) }

    /// Whether what failed this way may have reached the server all the same.
    package var mayHaveArrived: Bool {
        switch code {
        case .unreachable, .cancelled, .untrustedServer, .pinMismatch, .insecureRequest: false
        // Nothing was sent, or the vendor doesn't take it.
        case .blocked, .unknownEnrollment, .movedAway: false
        default: true
        }
    }
}
