import PushAuthFuzzing
import PushFuzzing

/// Feeds the readers of OOC/1: commands, bodies of each type, data to display, and typed activation
/// passwords.
@main
enum FuzzOOCCommand {
    static func main() {
        fuzz { expectKept(Inner.oocCommand($0)) }
    }
}
