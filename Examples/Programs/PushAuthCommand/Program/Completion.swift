import ArgumentParser

/// What a shell completes with, beside files: what the store has now.
extension CompletionKind {
    /// The IDs of enrollments.
    static let enrollments = ids("list")

    /// The IDs of what waits for an answer.
    static let challenges = ids("pending --offline")

    /// The IDs of both.
    static let shown = CompletionKind.shellCommand(
        "\(command("list")); \(command("pending --offline"))")

    /// The providers of enrollments.
    static let providers = CompletionKind.shellCommand(
        "pushauth list 2>/dev/null | grep -E '^[0-9a-f]{12} ' | tr -s ' ' | cut -d ' ' -f 3 | sort -u"
    )

    private static func ids(_ listing: String) -> CompletionKind { .shellCommand(command(listing)) }

    private static func command(_ listing: String) -> String {
        "pushauth \(listing) 2>/dev/null | grep -oE '^[0-9a-f]{12}'"
    }
}
