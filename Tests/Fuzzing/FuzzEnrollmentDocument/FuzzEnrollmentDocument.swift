import PushAuthFuzzing
import PushFuzzing

/// Feeds the reader of an enrollment's document: what it takes is written as it was, each row costs
/// itself alone, and no change loses a decision.
@main
enum FuzzEnrollmentDocument {
    static func main() {
        fuzz { expectKept(Inner.enrollmentDocument($0)) }
    }
}
