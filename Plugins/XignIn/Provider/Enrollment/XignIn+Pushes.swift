import PushCore

extension XignIn {
    /// Notes whether the user wants pushes from a manager.
    ///
    /// Without, no device token counts as told, so that the core comes back until the manager knows.
    func note(
        _ pushes: XignInRecord.Pushes, at enrollment: Enrollment.ID
    ) async throws(PushError) {
        try await vault.update(enrollment) { (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            record.pushes = pushes
            credential.secret = record.sealed
            if pushes != .wanted { credential.enrollment.deviceToken = nil }
        }
    }

    /// Notes that a manager has confirmed that the user wants no pushes, unless the user has meanwhile
    /// changed their mind in another process.
    func noteEnded(at enrollment: Enrollment.ID) async throws(PushError) {
        try await vault.update(enrollment) { (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            guard record.pushes == .unwanted else { return }
            record.pushes = .ended
            credential.secret = record.sealed
        }
    }
}
