import PushAuthFuzzing
import PushFuzzing

/// Feeds the reader of a manager's answers in OXRW/1: what it takes is the manager's, to this very
/// request. The same bytes are also fed as what the manager signs.
@main
enum FuzzOXRWReply {
    static func main() {
        fuzz { expectKept(Inner.oxrwReply($0)) }
    }
}
