import Foundation
import HTTPTypes
import PushAuthFuzzing
import PushCore
import PushFuzzing
import PushTesting

/// Feeds the readers of what AM, PlusAuth and privacyIDEA reply: success is what the vendor
/// documents, as told without the SDK, any other 2xx is `interrupted`, and no error says what came.
@main
enum FuzzVendorReply {
    static func main() {
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, _ in (HTTPResponse(status: .notFound), Data()) },
            store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            random: SeededRandom(seed: 1), device: Device(name: "Example"))
        fuzz { bytes in
            let reply = Array(bytes)
            expectKept { await Inner.vendorReply(reply, in: environment) }
        }
    }
}
