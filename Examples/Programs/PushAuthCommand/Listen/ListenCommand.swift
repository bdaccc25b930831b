import ArgumentParser
import Foundation
import PushCore
import TerminalIO

struct ListenCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Receive pushes, and answer them by a policy's rules, or wait for a person.",
        discussion: """
            A challenge that no rule matches waits: answer it with `pushauth approve` or `deny` in \
            another shell. Without --policy, everything waits.

            A rule's conditions are provider, enrollment (its ID), host (of its server), issuer, \
            user, kind, field, days and hours; all that it names must hold, and field for every \
            field with that label. What can only be denied matches no field. Only its user and root \
            may be able to write a policy, or what leads to it. A command that brings a number gets \
            PATH, HOME, LANG, LC_*, TERM and TZ, and the variables that its inherit names.

            Once pushes can come, a line on standard error says where; events go to standard output. \
            With --json, each is one JSON object on a line of standard output, with the time, the \
            provider, the enrollment, the user and the challenge that it is about; the first is \
            the event listening.

            A server whose FCM or APNs address can be set is given what --credentials writes: \
            service-account.json, whose token_uri leads here, or AuthKey.p8 and apns.json with \
            authority.pem, the certificate to trust. Both intakes answer as Google and Apple \
            document it. Every sender hears once its push is on record; a policy acts after that. \
            Vendors are told a device token made for the intake (of both, the one of the service \
            that a vendor takes), unless `pushauth token set` chose one. Expiry and collapse count \
            while a push waits for others to be put on record.

            On a store that machines share, it takes the pushes of all devices, and any number of \
            processes may do so behind a balancer, whose checks GET /ready answers. A sender hears once \
            its push is on record, whatever must be asked for that. What a process leaves when it dies, \
            the others take up. With --poll, each asks for its part of the devices. SIGTERM lets what \
            was taken come to its end, and exits with 0.

            An enrollment whose guard seals what its vendor is asked by is left out by --poll, and its \
            device token waits for `pushauth refresh`. What --guard-fd brings is kept in memory.

            SIGHUP has it read the policy again: rules that can't be used leave the old ones standing, \
            and nothing ends.

            Ctrl-C ends it, once an answer on its way has got its reply; a second one doesn't wait. \
            What was accepted is kept in the store, and judged the next time.
            """)

    @OptionGroup var intakes: IntakeOptions

    @Option(
        help: ArgumentHelp(
            """
            Ask every vendor that has a list what waits, this often: at least 5 seconds. It needs \
            no push and no intake.
            """, valueName: "seconds"))
    var poll: Int?

    @Option(
        help: ArgumentHelp(
            "Rules that answer without a person (TOML). Default: $PUSHAUTH_POLICY.",
            valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var policy: String?

    @Flag(
        help: """
            End after the first answer to a challenge that came in this run, with its exit code.
            """)
    var once = false

    @Option(help: ArgumentHelp("End after this time.", valueName: "seconds")) var timeout: Int?

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    mutating func validate() throws {
        PathVariable.resolve(&policy, by: .policy)
        guard timeout ?? 1 > 0 else { throw ValidationError("--timeout must be at least 1.") }
        guard poll ?? 5 >= 5 else {
            throw ValidationError(
                "--poll must be at least 5 seconds; vendors aren't asked more often.")
        }
        let isFleet = options.isOfFleet && options.device == nil
        if isFleet {
            guard !intakes.stdin, options.capture == nil else {
                throw ValidationError("With a fleet, --stdin and --capture need --device.")
            }
        } else {
            try fleet.checkUnused()
        }
        try intakes.check(isPolling: poll != nil, isFleet: isFleet)
    }

    func run() async throws {
        try await reporting {
            let linked = try options.linkedProviders()
            let policy = try StandingPolicy(policy, providers: linked.names)
            let hangup = Hangup { policy.readAgain() }
            defer { hangup.end() }
            var behavior = PushConfiguration()
            if let poll {
                behavior.polling = Polling(busy: .seconds(poll), idle: .seconds(poll))
            }
            let options = (intakes.metrics == nil ? options : options.metered).makingStore
            let ground = try await Ground(options, linked: linked)
            let verifier = CommandUser(try verification.readOnce())
            let limit: Duration? = timeout.map { .seconds($0) }
            let work: @Sendable () async throws -> ExitStatus
            if ground.isOfAllDevices {
                let program = FleetProgram(
                    ground: ground, policy: policy, verifier: verifier,
                    reporter: options.reporter, isOnce: once, limit: limit, options: fleet,
                    poll: poll)
                work = { [intakes] in try await program.run(intakes) }
            } else {
                let session = try Session(
                    on: ground, of: try await ground.device(), verifier: verifier,
                    behavior: behavior)
                let program = ListenProgram(
                    session: session, policy: policy, reporter: options.reporter,
                    isOnce: once, limit: limit, poll: poll)
                work = { [intakes] in try await program.run(intakes) }
            }
            let (interruption, running) = Interruption.cancelling(work)
            let status = try await running.value
            guard let code = interruption.exitCode else { return status }
            // Whoever runs a fleet ends a process so; what it took is at its end.
            if ground.isOfAllDevices, code == 128 + SIGTERM { return .done }
            throw ExitCode(code)
        }
    }
}
