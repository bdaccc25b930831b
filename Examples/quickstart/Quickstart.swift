import Foundation
import PushCore
import PushForgeRock
import PushPlatform
import PushTesting

/// Enrolls with the text of a QR code, then answers what arrives.
///
/// Standard input holds one push a line, as JSON, and after it the user's answers to what is asked.
@main
struct Quickstart {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let code = arguments.first, let token = arguments.last else {
            print("usage: quickstart CODE DEVICE-TOKEN < PUSHES")
            print("CODE: the text of the QR code; DEVICE-TOKEN: hexadecimal, as Apple gives it")
            exit(64)
        }
        do {
            try await run(code, token)
        } catch {
            TerminalUser().tell("quickstart: \(error)\n")
            exit(1)
        }
    }

    private static func run(_ code: String, _ token: String) async throws {
        // snippet: setup
        let transport = SystemTransport(.init(plainHTTP: .loopbackOnly))
        let environment = Environment(
            transport: transport, store: InMemoryStore(), verifier: TerminalUser(),
            device: Device(name: "Quickstart"))
        let authenticator = PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment)
        // end snippet
        try await authenticator.deviceTokenChanged(.apns(hex: token, isSandbox: true))

        // snippet: enroll
        guard let offer = try authenticator.offers(for: .scanned(text: code)).first else {
            throw PushError(.invalidInvitation, "No linked plugin knows this code.")
        }
        let enrollment = try await authenticator.enroll(offer)
        // end snippet
        print("Enrolled \(enrollment.account ?? "") at \(enrollment.issuer ?? "").")

        while let line = readLine() {
            // snippet: answer
            let push = try PushMessage(json: Data(line.utf8))
            for case .notice(let notice, _) in try await authenticator.receive(push).map(\.kind) {
                let challenge = try await authenticator.challenge(notice.id)
                let answer = await TerminalUser().answer(notice, challenge.prompt)
                print(try await authenticator.resolve(challenge, with: answer))
            }
            // end snippet
        }
    }
}
