import TerminalIO

/// Shows what is being done: a moving line on a terminal, a line for each flow elsewhere.
struct DemoProgress: Sendable {
    private let terminal: Terminal

    init(_ terminal: Terminal) {
        self.terminal = terminal
    }

    func begin(_ text: String, _ number: Int, of count: Int) {
        guard terminal.isInteractive else { return }
        let position = "[\(number)/\(count)]"
        // A line that wraps can't be overwritten.
        let room = max((terminal.width ?? 80) - position.count - 4, 0)
        let line = "\(terminal.colored(position, .gray)) \(text.prefix(room)) …"
        terminal.write("\r\u{1B}[K\(line)")
    }

    func finish(_ row: DemoRow) {
        guard !terminal.isInteractive else { return }
        terminal.write("\(row.result.rawValue): \(row.vendor): \(row.flow)\n")
    }

    func end() {
        guard terminal.isInteractive else { return }
        terminal.write("\r\u{1B}[K")
    }
}
