import ArgumentParser

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the completions of a shell.",
        discussion: "For example: pushauth completions bash > ~/.bash_completion.d/pushauth")

    @Argument(help: "bash, zsh or fish.") var shell: Shell

    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    func run() throws {
        let shell: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        Reporter(isJSON: false).print(PushAuth.completionScript(for: shell) + "\n")
    }
}
