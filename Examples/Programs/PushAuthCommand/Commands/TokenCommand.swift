import ArgumentParser
import PushCore

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Say where pushes reach this device.",
        subcommands: [Set.self, Clear.self])

    struct Set: LinkingCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Tell every vendor the device token.",
            discussion: """
                A device may have a token of each push service: give them one after the other. A \
                vendor is told the token of the service that it takes, and none of a service for \
                which none was given, such as one that `pushauth listen` made.
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
            try await tell(token, options.makingStore)
        }
    }

    struct Clear: LinkingCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear",
            abstract: "Tell every vendor that this device has no token of any service any more.")

        @OptionGroup var options: GlobalOptions

        func run() async throws { try await tell(nil, options) }
    }

    /// Tells the vendors a token. Tokens chosen before for other services stay. Without a token,
    /// the vendors are told that the device has no token of any service.
    private static func tell(_ token: DeviceToken?, _ options: GlobalOptions) async throws {
        try await reporting {
            let session = try await Session(
                options, verifier: CommandUser(VerificationOptions()))
            let file = session.tokenFile
            var chosen = token == nil ? [:] : try file?.read().chosen ?? [:]
            if let token { chosen[token.service] = token }
            let tokens = DeviceToken.Service.allCases.compactMap { chosen[$0] }
            let enrollments = try await session.authenticator.enrollments()
            let failures = try await session.withOpenGuards(of: enrollments, for: .questions) {
                try await session.authenticator.tellOnly(tokens)
            }
            // So that `listen` keeps to it.
            try file?.choose(token)
            var said = Failures()
            for (_, error) in failures { said.add(Failure(error)) }
            said.report()
            let states = try await session.deviceTokenStates(of: enrollments)
            options.reporter.show(
                enrollments.map { EnrollmentReport(enrollment: $0, token: states[$0.id]) },
                none: token == nil
                    ? "There is no enrollment to tell." : "Kept for the next enrollment.")
            return session.ending(said.status)
        }
    }
}
