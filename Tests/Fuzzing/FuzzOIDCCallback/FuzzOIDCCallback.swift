import PushAuthFuzzing
import PushFuzzing

/// Feeds the reader of what a browser comes back with from PowerAuth's identity provider: nothing
/// but an answer with this login's state, once, makes an activation, and that of the code which it
/// brings.
@main
enum FuzzOIDCCallback {
    static func main() {
        fuzz { expectKept(Inner.powerAuthCallback($0)) }
    }
}
