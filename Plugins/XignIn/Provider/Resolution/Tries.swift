import PushCore

/// What wrong tries have brought: the challenge that the next try must answer, and how many there
/// are left. A process that is opened anew brings its own, so memory is enough.
actor Tries {
    private var newest: [Challenge.ID: Secret] = [:]
    private var lockouts: [Challenge.ID: LockoutInformation] = [:]

    /// The newest context of a process, if a wrong try replaced the one that opening it brought.
    func context(of process: Challenge.ID) -> Secret? { newest[process] }

    /// What the last wrong try brought.
    func lockout(of process: Challenge.ID) -> LockoutInformation? { lockouts[process] }

    func note(_ lockout: LockoutInformation, context: Secret?, of process: Challenge.ID) {
        lockouts[process] = lockout
        if let context { newest[process] = context }
    }

    /// Forgets a process that is over or was opened anew.
    func forget(_ process: Challenge.ID) {
        newest[process] = nil
        lockouts[process] = nil
    }
}
