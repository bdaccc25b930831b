import Foundation

/// The width that `--help` is wrapped to.
public enum HelpWidth {
    /// Below it, swift-argument-parser has no column left beside its labels, and crashes.
    private static let least: Int = 40

    /// Has `--help` wrapped to a width that is enough, should the terminal or `COLUMNS` say less.
    public static func makeEnough() {
        let named = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
        guard let width = named ?? terminalWidth, width < least else { return }
        setenv("COLUMNS", "\(least)", 1)
    }

    private static var terminalWidth: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }
}
