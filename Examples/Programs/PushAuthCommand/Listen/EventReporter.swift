import PushCore

/// Shows events, with the names of those whom they are about.
actor EventReporter {
    private let authenticator: PushAuthenticator
    private let reporter: Reporter

    /// Names don't change, so each enrollment is read once.
    private var known: [Enrollment.ID: Enrollment] = [:]

    init(_ authenticator: PushAuthenticator, _ reporter: Reporter) {
        self.authenticator = authenticator
        self.reporter = reporter
    }

    func show(_ event: ListenEvent) async {
        var event = event
        if reporter.isJSON, let id = event.about.enrollment {
            if known[id] == nil { known[id] = try? await authenticator.enrollment(id) }
            if let enrollment = known[id] { event.about.name(by: enrollment) }
        }
        reporter.show(event)
    }
}
