import PushAuthFuzzing
import PushFuzzing

/// Feeds the readers of what a PowerAuth server says: operations, messages, statuses, envelopes,
/// tokens, temporary keys, new activations, identity providers, names and users. As no mutation finds a right code or signature, the
/// same bytes are also fed as what the server seals and signs.
@main
enum FuzzPowerAuthReply {
    static func main() {
        fuzz { bytes in
            expectKept(Inner.powerAuthReply(bytes))
            expectKept(Inner.powerAuthStatus(bytes))
            expectKept(Inner.powerAuthEnvelope(bytes))
            expectKept(Inner.powerAuthTemporaryKey(bytes))
            expectKept(Inner.powerAuthProfile(bytes))
        }
    }
}
