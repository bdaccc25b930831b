import PushAuthFuzzing
import PushFuzzing

/// Feeds the reader of a key's DER: what it takes has one encoding, and it is that one.
@main
enum FuzzDER {
    static func main() {
        fuzz { expectKept(Inner.der($0)) }
    }
}
