import PushAuthFuzzing
import PushFuzzing

/// Feeds the readers of JWS and JWT: only what the key signed is verified.
@main
enum FuzzJWT {
    static func main() {
        fuzz { expectKept(Inner.jwt($0)) }
    }
}
