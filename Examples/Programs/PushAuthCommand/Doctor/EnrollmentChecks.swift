import Foundation
import PushCore

/// What the store holds: enrollments that want something, and answers that are on their way.
struct EnrollmentChecks {
    let session: Session

    /// - Returns: The servers of the enrollments.
    func look(_ report: (DoctorCheck) -> Void) async -> Set<Endpoint> {
        do {
            let enrollments = try await session.authenticator.enrollments()
            let records = try await session.authenticator.records()
            let tokens = try await session.deviceTokenStates(of: enrollments)
            for item in session.damage.items {
                report(.problem("damaged", item.text, item.advice))
            }
            report(Self.count(of: enrollments))
            for enrollment in enrollments {
                if let check = Self.check(enrollment) { report(check) }
                if let check = Self.check(tokens[enrollment.id], of: enrollment) { report(check) }
            }
            for enrollment in try await session.unconfigured() {
                report(Self.unconfigured(enrollment))
            }
            for check in answers(records) { report(check) }
            return Set(
                enrollments.compactMap { $0.host.flatMap { try? Endpoint("https://\($0)") } })
        } catch {
            report(.problem("store", error.reason, "Look at the store's directory."))
            return []
        }
    }

    private static func count(of enrollments: [Enrollment]) -> DoctorCheck {
        let counts = Dictionary(grouping: enrollments, by: \.state.word).mapValues(\.count)
        let words = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return .ok(
            "enrollments", words.isEmpty ? "None yet." : words.joined(separator: ", ") + ".")
    }

    private static func unconfigured(_ enrollment: Enrollment) -> DoctorCheck {
        let provider = enrollment.id.provider.rawValue
        let id = Abbreviation(enrollment.id).text
        return .warning(
            "enrollment",
            "\(id) at \(enrollment.host ?? provider) can't be used: '\(provider)' isn't configured.",
            "The configuration needs its section [providers.\(provider)], enabled.")
    }

    private static func check(_ enrollment: Enrollment) -> DoctorCheck? {
        let id = Abbreviation(enrollment.id).text
        let name = "\(id) at \(enrollment.host ?? enrollment.id.provider.rawValue)"
        switch enrollment.state {
        case .active, .movedAway: return nil
        case .pending(.unconfirmed):
            return .warning(
                "enrollment", "\(name) is half an enrollment: the server's reply was lost.",
                "`pushauth refresh \(id)` asks whether it counts; else `pushauth remove \(id)`, and "
                    + "enroll with a new code.")
        case .pending(.comparison(let code)):
            return .warning(
                "enrollment", "\(name) waits until somebody compares the code \(code).",
                "Confirm it on the other side, then `pushauth refresh \(id)`.")
        case .pending(.deviceToken):
            return .warning(
                "enrollment", "\(name) waits for a device token.",
                "`pushauth token set`, or `pushauth listen`.")
        case .blocked(let why):
            return .warning(
                "enrollment", why.isEmpty ? "\(name) is blocked." : "\(name) is blocked: \(why)",
                "Ask who runs the server; `pushauth refresh \(id)` looks again.")
        case .needsReenrollment:
            return .warning(
                "enrollment", "\(name) has ended.",
                "`pushauth remove \(id)`, and enroll again.")
        @unknown default:
            return .warning(
                "enrollment", "\(name) is in a state that is newer than this program.",
                "Update pushauth.")
        }
    }

    private static func check(
        _ token: DeviceToken.State?, of enrollment: Enrollment
    ) -> DoctorCheck? {
        guard token == .waiting else { return nil }
        let id = Abbreviation(enrollment.id).text
        return .warning(
            "token", "The server of \(id) hasn't acknowledged the newest device token.",
            "`pushauth refresh` tells it again.")
    }

    private func answers(_ records: [ChallengeRecord]) -> [DoctorCheck] {
        let waiting = records.filter { $0.state == .open }.count
        var checks = [
            DoctorCheck.ok("challenges", "\(waiting) wait\(waiting == 1 ? "s" : "") for an answer.")
        ]
        for record in records {
            let id = Abbreviation(record.id).text
            switch record.state {
            case .decided:
                checks.append(
                    .warning(
                        "answer", "The answer to \(id) was decided, and not delivered yet.",
                        "`pushauth refresh` sends it."))
            case .answered(_, .unknown):
                checks.append(
                    .warning(
                        "answer", "Whether the server took the answer to \(id) isn't known.",
                        "`pushauth refresh` asks again; else look at the login."))
            case .open, .answered, .over: break
            @unknown default: break
            }
        }
        return checks
    }
}
