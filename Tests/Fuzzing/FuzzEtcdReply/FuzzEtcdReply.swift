import PushAuthFuzzing
import PushFuzzing

/// Feeds the readers of what etcd's JSON gateway replies, and of its keys: others read the same
/// records, a status means what it says, and no error says what came.
@main
enum FuzzEtcdReply {
    static func main() {
        fuzz { expectKept(Inner.etcdReply($0)) }
    }
}
