import ArgumentParser
import PushCore

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Say where pushes reach this device.",
        subcommands: [Set.self, Clear.self])

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Tell every vendor the device token.",
            discussion: """
                A device may have a token of each push service: give them one after the other. A \
                vendor is told the token of the service that it takes.
                """)

        @Option(help: ArgumentHelp("A token of Firebase Cloud Messaging.", valueName: "token"))
        var fcm: String?

        @Option(help: ArgumentHelp("A token of APNs, in hexadecimal.", valueName: "hex"))
        var apns: String?

        @Flag(help: "The APNs token is one of the sandbox.")
        var sandbox = false

        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard (fcm == nil) != (apns == nil) else {
                throw ValidationError("Give --fcm or --apns: one of them.")
            }
        }

        func run() async throws {
            let token: DeviceToken? =
                fcm.map { .fcm($0) } ?? apns.map { .apns(hex: $0, isSandbox: sandbox) }
            try await tell(token, options)
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Tell every vendor that there is none any more, of any service.")

        @OptionGroup var options: GlobalOptions

        func run() async throws { try await tell(nil, options) }
    }

    /// Tells of a token, or that there is none of any service any more.
    private static func tell(
        _ token: DeviceToken?, _ authenticator: PushAuthenticator
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        if let token { return try await authenticator.deviceTokenChanged(token) }
        var failures: [Enrollment.ID: PushError] = [:]
        for service in PushService.allCases {
            failures = try await authenticator.deviceTokenRemoved(of: service)
        }
        return failures
    }

    private static func tell(_ token: DeviceToken?, _ options: GlobalOptions) async throws {
        try await reporting {
            let session = try await Session(
                options, verifier: CommandUser(VerificationOptions()))
            let failures = try await tell(token, session.authenticator)
            // So that `listen` keeps to it.
            try DeviceTokenFile(besides: options.storeDirectory).choose(token)
            for (_, error) in failures { Failure(error).report() }
            let states = try await session.deviceTokenStates()
            options.reporter.show(
                try await session.authenticator.enrollments()
                    .map { EnrollmentReport(enrollment: $0, token: states[$0.id]) },
                none: token == nil
                    ? "There is no enrollment to tell." : "Kept for the next enrollment.")
            return session.ending(failures.values.first.map { ExitStatus($0.code) } ?? .done)
        }
    }
}
