import Foundation
import PushCore
import PushSimulation
import PushTesting
import Testing

/// Texts of strangers that are one `Character` of a million marks: to compare, to split or to hash such a
/// one takes the square of its length. Where bytes are looked at these tests take seconds, and else hours.
@Suite(.timeLimit(.minutes(10))) struct HostileTextTests {
    private static let vendors = Vendor.allCases.filter { $0 != .acme }

    /// Marks that Unicode orders otherwise, or flags of which every two are one `Character`.
    private static let runs = ["\u{327}\u{301}", "\u{1F1E6}"]

    private static func marks(_ run: String, _ bytes: Int) -> String {
        String(repeating: run, count: bytes / run.utf8.count)
    }

    /// A text with marks in its place, before and behind it, and behind what parts it.
    private static func spoiled(_ text: String, by marks: String) -> [String] {
        let places = text.utf8.indices.filter { index in
            ["/", "?", "&", "=", ":", "#", ".", "-", "%"].contains {
                $0.utf8.first == text.utf8[index]
            }
        }
        return [marks, marks + text, text + marks, text + "#" + marks, text + "&" + marks + "=1"]
            + places.prefix(6).map { index in
                let next = text.utf8.index(after: index)
                return text[..<next] + marks + text[next...]
            }
    }

    @Test(arguments: vendors)
    func `what is scanned or opened is read in time that grows with its length`(
        vendor: Vendor
    ) async throws {
        let fixtures = try vendor.fixtures(seed: 1)
        let environment = PushEnvironment(
            transport: SimulatedTransport {
                await fixtures.simulator.respond(to: $0, body: $1)
            },
            store: InMemoryStore(), verifier: ScriptedVerifier.willing(), clock: fixtures.clock,
            device: Device(name: "phone", platform: .other))
        let registry = try PluginRegistry([try fixtures.provider(environment)])
        let invitation: String
        switch try await fixtures.simulator.invitation(for: "ada") {
        case .scanned(let secret), .typed(let secret): invitation = secret.copiedText()
        default: invitation = "otpauth://push/a:b?c=d"
        }
        for run in Self.runs {
            // Within the longest that is read at all, and far beyond it.
            for (size, times) in [(3000, 20), (15_000, 5), (2_000_000, 1)] {
                let marks = Self.marks(run, size)
                for text in Self.spoiled(invitation, by: marks)
                    + Self.spoiled("https://a.b/", by: marks)
                {
                    for _ in 0..<times {
                        _ = try? registry.offers(for: .scanned(text: text))
                        _ = try? registry.offers(for: .typed(text: text))
                    }
                }
            }
        }
    }
}
