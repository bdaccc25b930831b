import PushCore

/// What to type into a shell to enroll by an invitation.
struct EnrollmentCommand {
    /// Where `pushauth` finds how to reach the simulators.
    enum Configuration: Sendable {
        /// The file that `--write` wrote, by its whole path.
        case file(String)
        /// What the console serves at its address, such as `http://127.0.0.1:8080`.
        case served(at: String)
    }

    /// The command, of a line or two. No part of it means anything to a shell but itself.
    let text: String

    init(by invitation: Invitation, configuredBy configuration: Configuration) {
        var lines: [String] = []
        let file: String
        switch configuration {
        case .file(let path): file = path
        case .served(let origin):
            // Beside the configuration lies the certificate that it names, and nobody else may write
            // either: pushauth wouldn't take them.
            let folder = "push-lab-files"
            let parts = ["pushauth.toml", "authority.pem"].map {
                "--output \(folder)/\($0) \(Self.quoted("\(origin)/\($0)"))"
            }
            lines.append(
                "(umask 077 && curl --fail --silent --show-error --create-dirs "
                    + parts.joined(separator: " ") + ") &&")
            file = "\(folder)/pushauth.toml"
        }
        let command = "pushauth enroll --config \(Self.quoted(file))"
        if case .credentials(let user, let password) = invitation {
            lines.append(
                "PASSWORD=\(Self.quoted(password.text)) \(command) --user \(Self.quoted(user)) "
                    + "--password-env PASSWORD")
        } else {
            lines.append("\(command) \(Self.quoted(invitation.scannedText ?? ""))")
        }
        text = lines.joined(separator: "\n")
    }

    /// A word for a shell: as it is if nothing in it is special, else in single quotes.
    static func quoted(_ word: String) -> String {
        let isPlain = word.wholeMatch(of: /[A-Za-z0-9_.\/:=@%+,-]+/) != nil
        return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}

extension Secret {
    /// What an invitation holds is there to be shown.
    var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
