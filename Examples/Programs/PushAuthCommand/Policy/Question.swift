import PushCore

/// What a policy judges: a challenge that was verified and opened, and whose it is.
struct Question: Sendable {
    let enrollment: Enrollment
    let challenge: Challenge

    init(_ challenge: Challenge, of enrollment: Enrollment) {
        self.challenge = challenge
        self.enrollment = enrollment
    }
}
