import PushAuthFuzzing
import PushFuzzing

/// Feeds what an app reads beside PowerAuth's operations: the vault's reply and what it opens, replies
/// to encrypted requests of the app's own, and the queries that it signs. As no mutation finds a right
/// code, the same bytes are also fed as what the server seals and lends.
@main
enum FuzzPowerAuthBank {
    static func main() {
        fuzz { bytes in
            expectKept(Inner.powerAuthVault(bytes))
            expectKept(Inner.powerAuthRequestReply(bytes))
            expectKept(Inner.powerAuthQuery(bytes))
        }
    }
}
