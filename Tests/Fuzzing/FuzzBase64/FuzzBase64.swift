import PushAuthFuzzing
import PushFuzzing

/// Feeds the readers of Base64: a strict text and its bytes are one to one, and the lenient reader
/// reads all that a strict one reads, as the same bytes.
@main
enum FuzzBase64 {
    static func main() {
        fuzz { expectKept(Inner.base64($0)) }
    }
}
