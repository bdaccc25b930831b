import PushAuthFuzzing
import PushFuzzing

/// Feeds the readers of the headers of sealed stores and of stores in files: what is read is
/// written the same, and no key is used that doesn't vouch for all of it, as told without the SDK.
@main
enum FuzzSealedHeader {
    static func main() {
        fuzz { expectKept(Inner.sealedHeader($0)) }
    }
}
