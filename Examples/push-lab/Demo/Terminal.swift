import Foundation

/// An output stream, and whether a person looks at it.
struct Terminal: Sendable {
    enum Color: Int, Sendable {
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
        case gray = 90
    }

    static let output = Terminal(STDOUT_FILENO)
    static let error = Terminal(STDERR_FILENO)

    let isInteractive: Bool
    private let hasColors: Bool
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        let environment = ProcessInfo.processInfo.environment
        isInteractive = isatty(descriptor) == 1 && environment["TERM"] != "dumb"
        hasColors = isInteractive && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// How many characters fit a line; `nil` if nobody looks at it.
    var width: Int? {
        var size = winsize()
        guard isInteractive, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    func colored(_ text: String, _ color: Color) -> String {
        hasColors ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
