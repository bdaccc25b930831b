import PushCore

/// Which accounts can keep to a guideline for approvals, by what their vendors may ask.
struct ProfileChecks {
    let session: Session
    let profile: ApprovalProfile

    func look(_ report: (DoctorCheck) -> Void) async {
        do {
            let enrollments = try await session.authenticator.enrollments()
            guard !enrollments.isEmpty else {
                return report(.ok("profile", "\(profile.title): there is no account yet."))
            }
            for enrollment in enrollments { report(check(enrollment)) }
        } catch {
            report(.problem("profile", error.reason, "Look at the store's directory."))
        }
    }

    private func check(_ enrollment: Enrollment) -> DoctorCheck {
        let id = enrollment.id
        let account = enrollment.account.map { " (\($0))" } ?? ""
        let name = "\(Abbreviation(id).text) at \(id.provider.rawValue)\(account)"
        let prompts = session.providers.first { $0.id == id.provider }?.prompts ?? []
        guard !prompts.isEmpty else {
            return .warning(
                "profile", "\(name): its plugin doesn't say what its server may ask.",
                "Look at each question: what \(profile.title) forbids can only be denied.")
        }
        let obstacles = prompts.compactMap(profile.obstacle)
        if obstacles.isEmpty { return .ok("profile", "\(name) keeps to \(profile.title).") }
        guard obstacles.count < prompts.count else {
            return .problem(
                "profile",
                "\(name) can't keep to \(profile.title): \(obstacles.joined(separator: " "))",
                "With this profile its logins can only be denied. Use another way to log in there.")
        }
        return .warning(
            "profile",
            "\(name) keeps to \(profile.title) where its server asks for a number to enter. "
                + obstacles.joined(separator: " "),
            "Have the server ask for that: all else can only be denied.")
    }
}
