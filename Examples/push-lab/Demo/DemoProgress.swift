/// Shows what is being done: a moving line on a terminal, a line for each flow elsewhere.
struct DemoProgress: Sendable {
    private let terminal: Terminal

    init(_ terminal: Terminal) {
        self.terminal = terminal
    }

    func begin(_ text: String, _ number: Int, of count: Int) {
        guard terminal.isInteractive else { return }
        let position = terminal.colored("[\(number)/\(count)]", .gray)
        terminal.write("\r\u{1B}[K\(position) \(text) …")
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
