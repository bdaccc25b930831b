import Harness

@main
enum PushBench {
    static func main() async throws {
        try await run(reading(), filter: Array(CommandLine.arguments.dropFirst()))
    }
}
