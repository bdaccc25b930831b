import Harness

@main
enum PushBench {
    // Not on the main actor, from where each call of a store would be a change of threads.
    @concurrent
    static func main() async throws {
        let comparisons = try await receiving() + reading()
        try await run(comparisons, arguments: Array(CommandLine.arguments.dropFirst()))
    }
}
