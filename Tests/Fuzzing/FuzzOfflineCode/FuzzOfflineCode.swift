import PushAuthFuzzing
import PushFuzzing

/// Feeds the readers of PowerAuth's QR codes: of an offline operation nothing is read but what a
/// server's key signed, and what is shown of it is safe to show. As no mutation finds a right
/// signature, the same bytes are also fed as what stands before one. And feeds the reader of links
/// with a proximity code.
@main
enum FuzzOfflineCode {
    static func main() {
        fuzz { bytes in
            expectKept(Inner.powerAuthOfflineCode(bytes))
            expectKept(Inner.powerAuthProximityLink(bytes))
        }
    }
}
