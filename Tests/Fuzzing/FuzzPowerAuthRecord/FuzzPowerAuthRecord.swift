import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore
import PushPowerAuth
import PushTesting

/// Feeds the reader of the vendor's records: each is taken or left with a reason, and nothing is sent.
@main
enum FuzzPowerAuthRecord {
    /// The master key is the curve's base point, whose private key is 1.
    private static let configuration: PowerAuthConfiguration? = {
        guard let point = Data(base64Encoded: "A2sX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKW"),
            let application = try? PowerAuthApplication(
                key: "AAECAwQFBgcICQoLDA0ODw==",
                secret: Secret(copying: "EBESExQVFhcYGRobHB0eHw=="), masterPublicKey: point),
            let server = try? Endpoint("https://bank.example")
        else { return nil }
        return PowerAuthConfiguration(application: application, enrollmentServer: server)
    }()

    static func main() {
        fuzz { bytes in
            let record = PowerAuthVendorRecord(
                status: Secret(bytes), possessionKey: Secret(Array(repeating: 1, count: 16)),
                biometry: .init(
                    key: Secret(Array(repeating: 2, count: 16)),
                    secret: Secret(Array(repeating: 3, count: 16))),
                externalKey: Secret(Array(repeating: 4, count: 16)))
            expectKept {
                guard let configuration else { return "there is a configuration" }
                let provider = PowerAuth(
                    configuration: configuration,
                    in: PushEnvironment(
                        transport: NoTransport(), store: InMemoryStore(),
                        verifier: ScriptedVerifier.willing(), device: Device(name: "Example")))
                let report = await provider.importEnrollments(from: [record])
                guard let entry = report.entries.first, report.entries.count == 1 else {
                    return "each record has one entry"
                }
                if case .left(let error) = entry.result {
                    guard [.malformed, .unsupported].contains(error.code) else {
                        return "what can't be read is malformed or unsupported"
                    }
                    guard report.taken.isEmpty, !report.isComplete else {
                        return "nothing is taken"
                    }
                }
                if case .taken(let enrollment) = entry.result {
                    guard enrollment.id.name == entry.activation else {
                        return "an enrollment has its activation's name"
                    }
                }
                let again = await provider.importEnrollments(from: [record])
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
