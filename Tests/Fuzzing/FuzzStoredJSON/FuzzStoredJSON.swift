import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore
import PushForgeRock
import PushTesting

/// Feeds the reader of the vendor's JSON records: each is taken or left with a reason, and nothing is sent.
@main
enum FuzzStoredJSON {
    static func main() {
        fuzz { bytes in
            let input = Data(bytes)
            expectKept {
                let provider = ForgeRock(
                    in: PushEnvironment(
                        transport: NoTransport(), store: InMemoryStore(),
                        verifier: ScriptedVerifier.willing(), device: Device(name: "Example")))
                let report = await provider.importEnrollments(from: [.json(input, from: .android)])
                for entry in report.entries {
                    if case .left(let error) = entry.result, error.reason.isEmpty {
                        return "the reason says what is wrong"
                    }
                }
                let again = await provider.importEnrollments(from: [.json(input, from: .android)])
                return again.taken.isEmpty ? nil : "a second import takes nothing"
            }
        }
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
