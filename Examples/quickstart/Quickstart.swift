import Foundation
import PushCore
import PushPlatform

/// Enrolls with the text of a QR code, then answers what arrives.
///
/// Standard input holds one push a line, as JSON, and after it the user's answers to what is asked.
/// What is enrolled stays in the current directory: the next run goes on with it, and needs no code.
@main
struct Quickstart {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count <= 2, arguments.first?.hasPrefix("-") != true else {
            print("usage: quickstart [CODE [DEVICE-TOKEN]] < PUSHES")
            print("CODE: the text of the QR code; DEVICE-TOKEN: as Firebase gives it to an app")
            exit(64)
        }
        do {
            let authenticator = try await authenticator()
            if let code = arguments.first {
                try await enroll(code, arguments.dropFirst().first, authenticator)
            }
            // An earlier run may have been ended before its answer had a reply.
            _ = try await authenticator.resume()
            while let line = readLine() {
                do {
                    try await answer(line, authenticator)
                } catch {
                    // Anybody may send something forged: it ends nothing.
                    tell("\(error)\n")
                }
            }
        } catch {
            tell("quickstart: \(error)\n")
            exit(1)
        }
    }

    private static func authenticator() async throws -> PushAuthenticator {
        // The key belongs where backups of the store don't go; an app for Apple's systems has none,
        // and keeps its records in a KeychainStore.
        let file = "quickstart.key"
        let key: FileStore.KeySource =
            if FileManager.default.fileExists(atPath: file) {
                .file(file)
            } else {
                try await .newFile(file)
            }
        let environment = PushEnvironment(
            transport: SystemTransport(.init(plainHTTP: .loopbackOnly)),
            store: try await FileStore(at: "quickstart.store", key: key),
            verifier: TerminalUser(), device: Device(name: "Quickstart"))
        return PushAuthenticator(
            try PluginRegistry(plugins(in: environment)), in: environment)
    }

    private static func enroll(
        _ code: String, _ token: String?, _ authenticator: PushAuthenticator
    ) async throws {
        // Before the first enrollment: some vendors register a device by its token. It stays known.
        if let token { try await authenticator.deviceTokenChanged(.fcm(token)) }
        guard let offer = try authenticator.offers(for: .scanned(text: code)).first else {
            throw PushError(.invalidInvitation, "No linked plugin knows this code.")
        }
        let enrollment = try await authenticator.enroll(offer)
        print("Enrolled \(enrollment.account ?? "") at \(enrollment.issuer ?? "").")
    }

    private static func answer(_ line: String, _ authenticator: PushAuthenticator) async throws {
        let push = try PushMessage(json: Data(line.utf8))
        // A push may come twice, and the user is asked once.
        for reception in try await authenticator.receive(push) where reception.isNew {
            guard case .notice(let notice, _) = reception.kind else { continue }
            let challenge = try await authenticator.challenge(notice.id)
            let resolution = TerminalUser().answer(challenge)
            print(try await authenticator.resolve(challenge, with: resolution))
        }
    }
}

/// The user at the terminal.
struct TerminalUser: UserVerifier {
    func answer(_ challenge: Challenge) -> Resolution {
        // The user approves what is shown, so all of it is: who asks, what for, and from where.
        for field in challenge.shown { tell("\(field)\n") }
        return switch challenge.prompt {
        case .approve: ask("Approve it? [y/n]") == "y" ? .approve : .deny(.unexpected)
        case .choose(let options): .choose(ask("Which of \(options.joined(separator: ", "))?"))
        case .enter(let digits): .enter(ask("Which \(digits) digits?"))
        case .denyOnly: .deny(.unexpected)
        @unknown default: .deny(.unexpected)
        }
    }

    /// Whoever sits at an unlocked terminal counts as verified here; a phone would check biometry.
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        guard ask("Is it you? [y/n]") == "y" else {
            throw PushError(.cancelled, "The user gave up.")
        }
        return [.biometry(nil)]
    }

    private func ask(_ question: String) -> String {
        tell(question + " ")
        return readLine() ?? ""
    }
}

/// On standard error, so that only outcomes are on standard output.
func tell(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
}
