import ArgumentParser
import PushCore

/// What opens the keys that answers need; `none` for no guard.
enum GuardChoice: String, ExpressibleByArgument, CaseIterable {
    case none, presence, deviceOwner

    var policy: GuardPolicy? {
        switch self {
        case .none: nil
        case .presence: .presence
        case .deviceOwner: .deviceOwner
        }
    }
}

struct GuardCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "guard", abstract: "Choose what opens the keys that answers need.",
        discussion: """
            deviceOwner is a passphrase of 8 bytes or more; presence a key of 64 hexadecimal digits, \
            kept apart from the store and its key; none takes the guard away. The store alone answers \
            nothing then. What it costs depends on the vendor, and is told before it is asked. The \
            guard that is there is opened first, by what opens it until now.

            Where no terminal asks, --guard-fd brings the old and the new alike: choose none \
            in between to change one for another.
            """)

    @Argument(help: "The ID of the enrollment.", completion: .enrollments) var id: String

    @Argument(help: "What opens them.") var choice: GuardChoice

    @Flag(name: .shortAndLong, help: "Don't ask whether it is meant.") var yes = false

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await performing { cutoff in
            let session = try await Session(
                options, verifier: CommandUser(VerificationOptions()), cutoff: cutoff)
            let id = try await session.enrollment(id).id
            if !yes, choice != .none, let part = try session.provider(of: id).guarded {
                options.reporter.tell(part.price)
                try Prompt().confirm("Guard it so?")
            }
            let enrollment = try await session.authenticator.setGuard(choice.policy, of: id)
            options.reporter.show(EnrollmentReport(enrollment: enrollment, isWhole: true))
            return .done
        }
    }
}
