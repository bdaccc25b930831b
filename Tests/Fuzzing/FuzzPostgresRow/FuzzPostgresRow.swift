import PushAuthFuzzing
import PushFuzzing

/// Feeds the readers of PostgreSQL's rows and of libpq's messages: what is read is what is sent, a
/// server that went back isn't used, and a failure without a code never passes for "not done".
@main
enum FuzzPostgresRow {
    static func main() {
        fuzz { expectKept(Inner.postgresRow($0)) }
    }
}
