import PushCore

/// What wrong tries have brought: the challenge that the next try must answer, and how many there
/// are left. A process that is opened anew brings its own, so memory is enough.
actor Tries {
    private struct Try {
        let process: Challenge.ID
        let lockout: LockoutInformation
        let context: Secret?
    }

    private static let greatestCount = 32

    private var tries: [Try] = []

    /// The newest context of a process, if a wrong try replaced the one that opening it brought.
    func context(of process: Challenge.ID) -> Secret? { last(process)?.context }

    /// What the last wrong try brought.
    func lockout(of process: Challenge.ID) -> LockoutInformation? { last(process)?.lockout }

    func note(_ lockout: LockoutInformation, context: Secret?, of process: Challenge.ID) {
        forget(process)
        tries.append(Try(process: process, lockout: lockout, context: context))
        tries = tries.suffix(Self.greatestCount)
    }

    /// Forgets a process that is over or was opened anew.
    func forget(_ process: Challenge.ID) {
        tries.removeAll { $0.process == process }
    }

    private func last(_ process: Challenge.ID) -> Try? {
        tries.first { $0.process == process }
    }
}
