import PushAuthFuzzing
import PushFuzzing

/// Feeds the reader of HTTP's dates, and that of `Retry-After`: a date that is read is one that is
/// written, in all of its forms, and nobody is left alone for more than a day.
@main
enum FuzzHTTPDate {
    static func main() {
        fuzz { expectKept(Inner.httpDate($0)) }
    }
}
