import PushCore
import PushOneSpan
import PushOneSpanReference
import Receiving

try await receive {
    let engine = OpenReferenceEngine(
        try .init(domain: "example", serverKeys: []), in: $0, provider: "onespan")
    let relay = HTTPCommandRelay(try Endpoint("https://example.com"), for: "onespan", in: $0)
    return [
        OneSpan(
            engine: engine, relay: relay,
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: $0)
    ]
}
