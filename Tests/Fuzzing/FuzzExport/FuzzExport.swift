import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore
import PushForgeRock
import PushJOSE
import PushTesting

/// Feeds the readers of an export: the sealed file is refused or opened, and what it holds is taken, or
/// left with a reason; nothing is sent, and a second import takes nothing.
@main
enum FuzzExport {
    static func main() {
        fuzz { bytes in
            let input = Data(bytes)
            expectKept {
                guard await isRefused(input) else {
                    return "nobody opens a file without its password"
                }
                do {
                    return try await fault(in: Secret(input))
                } catch {
                    return "an import ends by one error or by none"
                }
            }
        }
    }

    private static func isRefused(_ file: Data) async -> Bool {
        var file = file
        // What today's cost takes would be all that a run does.
        if file.count > 9, 12...18 ~= file[9] { file[9] = 10 }
        do throws(PushError) {
            _ = try await PasswordSeal.open(file, with: Secret(copying: "nobody's password"))
            return false
        } catch {
            return [.verificationFailed, .unsupportedRecord].contains(error.code)
        }
    }

    /// What is wrong with an import; `nil` if nothing is.
    private static func fault(in content: Secret) async throws -> StaticString? {
        let environment = PushEnvironment(
            transport: NoTransport(), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), device: Device(name: "Example"))
        let authenticator = PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment)
        let imported: [ImportedEnrollment]
        do throws(PushError) {
            imported = try await authenticator.importEnrollments(from: content)
        } catch {
            let isTyped = [.malformed, .unsupportedRecord].contains(error.code)
            return isTyped && !error.reason.isEmpty ? nil : "the error says what is wrong"
        }
        let taken = imported.count { if case .taken = $0.result { true } else { false } }
        guard try await authenticator.enrollments().count == taken else {
            return "what is taken is there, and nothing else is"
        }
        for entry in try await authenticator.importEnrollments(from: content) {
            if case .taken = entry.result { return "a second import takes nothing" }
        }
        return nil
    }
}

/// An import asks nobody.
private struct NoTransport: Transport {
    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        fatalError("Broken: an import asks nobody")
    }
}
