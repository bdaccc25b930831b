import ArgumentParser
import Foundation
import PushCore
import TerminalIO

struct InspectCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what each provider makes of a push, step by step, and why.",
        discussion: """
            It takes a push as a phone would get it: a JSON object of any layout, or one on each \
            line (NDJSON). A request for FCM's HTTP v1 is taken apart; a line may also be a bare \
            JWT. With --scanned, --link or --relayed, each line is a text that came that way.

            Nothing is sent and nothing is stored. What a provider verifies, it verifies with the \
            enrollments of the store; without one, a token's claims are shown, marked UNVERIFIED. \
            With --key, the signatures of tokens are checked with that key as well.

            Unless --reveal is given, texts of more than 6 characters are shown as <n characters>. \
            Below a name like a secret's, such as token or pin, so is every text; numbers there are \
            <number>, and booleans <boolean>.

            With --json, each line of the input gives one object:
              line       its number, from 1
              form       json, apns, fcm, jwt, scanned, link, relayed;
                         unreadable, and then there is only error; or
                         empty (a blank line), and then there is nothing
              message    what came, redacted
              tokens     at (its place), header, claims, verified, by or why
              providers  of each that there is, configured or not:
                         provider, recognized, verified, why (if either is
                         false), kind (notice, withdrawal, incompatible, hint),
                         enrollment, claims, offer (where a text invites to
                         enroll), asks (the servers it would have asked)

            Exit codes: 0 if each line was verified; 3 if a line is nobody's, or there is nothing to \
            verify it with; 12 if one can't be read or was refused; 5 for the store or the key. The \
            worst of all lines counts; a blank one counts for nothing.
            """)

    @Argument(help: "The file with the push, or - for standard input.", completion: .file())
    var file = "-"

    @Flag(exclusivity: .exclusive, help: "How it came, if it wasn't by push.")
    var channel: Channel?

    @Option(
        help: ArgumentHelp(
            """
            A key to check tokens with: a secret for HS256, as it is or in base64; a public key for \
            ES256 or RS256 (PEM); or a JWK or a JWK set of either.
            """, valueName: "file"),
        completion: .file())
    var key: String?

    @Flag(help: "Don't look into the store.") var noStore = false

    @Flag(help: "Show texts in full.") var reveal = false

    @OptionGroup var options: GlobalOptions

    /// How a text came.
    enum Channel: String, EnumerableFlag {
        case scanned, link, relayed

        static func help(for value: Channel) -> ArgumentHelp? {
            switch value {
            case .scanned: "Each line is the text of a QR code."
            case .link: "Each line is a link that opened an app."
            case .relayed: "Each line is a text that an app passes on."
            }
        }

        var channel: PushMessage.Channel {
            switch self {
            case .scanned: .scanned
            case .link: .link
            case .relayed: .relayed
            }
        }
    }

    func validate() throws {
        guard options.capture == nil else {
            throw ValidationError(
                "inspect sends and keeps nothing, so there is nothing to --capture.")
        }
    }

    func run() async throws {
        try await reporting {
            let keys = try key.map { path throws(Failure) in try TokenKeys(file: path) }
            let inspector = try await Inspector(
                options, keys: keys, redaction: Redaction(reveals: reveal), usesStore: !noStore)
            var worst = ExitStatus.done
            for input in try InspectInput.split(try read(), by: channel) {
                let report = await inspector.report(on: input)
                options.reporter.show(report)
                worst = report.status.isWorse(than: worst) ? report.status : worst
            }
            return worst
        }
    }

    private func read() throws -> Data {
        var input = try BoundedInput(file, limit: InspectInput.largest)
        return try input.all()
    }
}

extension ExitStatus {
    /// A refusal weighs more than what can't be told, and that more than what was verified.
    fileprivate func isWorse(than other: ExitStatus) -> Bool {
        let order: [ExitStatus] = [.done, .notFound, .store, .untrusted]
        return (order.firstIndex(of: self) ?? 0) > (order.firstIndex(of: other) ?? 0)
    }
}
