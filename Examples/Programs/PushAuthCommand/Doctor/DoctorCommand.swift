import ArgumentParser
import PushCore
import TerminalIO

struct DoctorCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look whether all is well, and say what to do where it isn't.",
        discussion: """
            It looks at the configuration, the store, its key, the enrollments, the device token, \
            answers that weren't delivered, the servers' certificates and clocks, and the libraries. \
            With a profile, by --profile or by the configuration, also which accounts can keep to it; \
            with a policy, also whether it can be used, and which rules approve more than they name. \
            It changes nothing, and asks servers for nothing but their front page.

            With --json, each check is one object on a line: check, status (ok, warning or problem), \
            text, and next (what to do) where something is to be done.

            Exit codes: 0 if there is no problem, warnings or not; 1 if there is one.
            """)

    @Flag(help: "Ask no server.") var offline = false

    @Option(
        help: ArgumentHelp(
            """
            Look which accounts can keep to this guideline for approvals, nist or cisa. Default: \
            the configuration's, if it names one.
            """, valueName: "name"),
        completion: .list(ApprovalProfile.allCases.map(\.rawValue)))
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "Look at these rules of `listen`, too. Default: $PUSHAUTH_POLICY.", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var policy: String?

    @Option(
        help: ArgumentHelp("Look at this server, too; may be repeated.", valueName: "URL"))
    var server: [String] = []

    @OptionGroup var options: GlobalOptions

    mutating func validate() throws {
        PathVariable.resolve(&policy, by: .policy)
        for text in server where (try? Endpoint(text)) == nil {
            throw ValidationError("--server takes an http or https URL.")
        }
        do throws(PushError) {
            _ = try namedProfile()
        } catch {
            throw ValidationError("--profile: \(error.reason)")
        }
    }

    private func namedProfile() throws(PushError) -> ApprovalProfile? {
        guard let profile else { return nil }
        return try ApprovalProfile(named: profile)
    }

    func run() async throws {
        try await reporting {
            var checks: [DoctorCheck] = []
            let doctor = Doctor(
                options, isOffline: offline, servers: server, profile: try namedProfile(),
                policy: policy)
            for await check in doctor.checks() {
                options.reporter.show(check)
                checks.append(check)
            }
            if !options.json { options.reporter.tell(summary(of: checks)) }
            return checks.contains { $0.status == .problem } ? .failed : .done
        }
    }

    private func summary(of checks: [DoctorCheck]) -> String {
        let problems = checks.count { $0.status == .problem }
        let warnings = checks.count { $0.status == .warning }
        if problems + warnings == 0 { return "All is well." }
        return "\(problems) problem\(problems == 1 ? "" : "s"), "
            + "\(warnings) warning\(warnings == 1 ? "" : "s")."
    }
}
