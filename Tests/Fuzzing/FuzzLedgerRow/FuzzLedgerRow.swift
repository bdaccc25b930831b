import PushAuthFuzzing
import PushFuzzing

/// Feeds the readers of the ledger's rows, of the notices and answers in them, and of the names of
/// enrollments' records: what is read is written as it was, and found by its name.
@main
enum FuzzLedgerRow {
    static func main() {
        fuzz { expectKept(Inner.ledgerRow($0)) }
    }
}
