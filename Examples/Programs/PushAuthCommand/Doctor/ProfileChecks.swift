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
            for enrollment in enrollments {
                let provider = session.providers.first { $0.id == enrollment.id.provider }
                let name = name(enrollment)
                report(check(name, prompts: provider?.prompts ?? []))
                guard profile == .nist80063b4 else { continue }
                report(Self.secondFactor(name, enrollment.guardPolicy, provider?.guarded))
            }
        } catch {
            report(.problem("profile", error.reason, "Look at the store's directory."))
        }
    }

    private func name(_ enrollment: Enrollment) -> String {
        let id = enrollment.id
        let account = enrollment.account.map { " (\($0))" } ?? ""
        return "\(Abbreviation(id).text) at \(id.provider.rawValue)\(account)"
    }

    private func check(_ name: String, prompts: [Challenge.Prompt]) -> DoctorCheck {
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

    /// Whether more than the device answers (NIST SP 800-63B-4 sections 2.2.1, 3.1.3.4 and 3.2.10).
    static func secondFactor(
        _ name: String, _ policy: GuardPolicy?, _ part: Capabilities.GuardedPart?
    ) -> DoctorCheck {
        let alone = "\(name) is one factor, unless its server asks for a PIN or a password as well"
        // Biometry has no uses: it is what the server asks for itself.
        guard let part, part.uses.isEmpty || part.uses.contains(.approval) else {
            return .warning(
                "profile", "\(alone): no guard can seal what answers.", "Have the server ask.")
        }
        guard policy == .deviceOwner || policy == .currentBiometry else {
            return .warning(
                "profile", "\(alone): what answers needs this device alone.",
                "Have the server ask, or choose the guard 'deviceOwner' (enroll --guard, guard).")
        }
        return .warning(
            "profile", "\(name) needs the guard's passphrase as a second factor.",
            "Choose one that nobody guesses: nothing here disables it after ten wrong ones.")
    }
}
