import PushCore

extension XignIn {
    /// What a manager did, or its refusal as an error.
    ///
    /// An activation that the manager no longer knows is flagged, not deleted: the user ends it.
    func value<Value>(
        of reply: XignInReply<Value>, at enrollment: Enrollment.ID
    ) async throws(PushError) -> Value {
        switch reply {
        case .done(let value): return value
        case .refused(let refusal):
            try await note(refusal, at: enrollment)
            throw refusal.error
        }
    }

    /// Flags an activation that the manager no longer knows.
    func note(_ refusal: XignInRefusal, at enrollment: Enrollment.ID) async throws(PushError) {
        guard refusal == .activationUnknown else { return }
        _ = try await setState(.needsReenrollment, of: enrollment)
    }

    func setState(
        _ state: Enrollment.State, of enrollment: Enrollment.ID
    ) async throws(PushError) -> Enrollment {
        try await vault.update(enrollment) { credential in
            credential.enrollment.state = state
            return credential.enrollment
        }
    }
}

extension XignInRefusal {
    /// The refusal of anything but an answer, as an error.
    var error: PushError {
        switch self {
        case .malformed(let status):
            PushError(.server(status: status), "The manager can't make sense of the request.")
        case .requestRefused(let status):
            PushError(.server(status: status), "The manager didn't believe the request.")
        case .factorsMissing:
            PushError(.server(status: 400), "The manager misses factors.")
        case .locked(let information):
            PushError(
                .blocked, "The activation is locked.", ends: .finished,
                underlying: XignSdkLockoutError(lockoutInformation: information))
        case .processUnknown:
            PushError(.over, "The manager knows no such process.", ends: .cancelled)
        case .processTaken:
            PushError(.over, "Another device has the process.", ends: .elsewhere)
        case .processFinished:
            PushError(.over, "The process is finished.", ends: .finished)
        case .processExpired:
            PushError(.over, "The process has expired.", ends: .expired)
        case .processCancelled:
            PushError(.over, "The process was cancelled.", ends: .cancelled)
        case .activationUnknown:
            PushError(.unknownEnrollment, "The manager no longer knows this activation.")
        case .versionUnsupported:
            // Nothing that this version does can answer it.
            PushError(
                .unsupported, "The manager speaks none of this app's versions.",
                ends: .unknown)
        case .linkUsed: PushError(.invalidInvitation, "The activation link was used.")
        case .linkExpired: PushError(.invalidInvitation, "The activation link has expired.")
        }
    }

    /// Whether it says that an activation link brings no activation any more.
    var endsLink: Bool {
        switch self {
        case .activationUnknown, .linkUsed, .linkExpired: true
        default: false
        }
    }

    /// The refusal of a personalization, where it's the link that isn't known.
    var errorWhilePersonalizing: PushError {
        self == .activationUnknown
            ? PushError(.invalidInvitation, "The manager doesn't know the activation link.") : error
    }
}
