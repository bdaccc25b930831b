import Foundation
public import PushPlatform

/// An output stream, and whether a person looks at it.
public struct Terminal: Sendable {
    /// How a text stands out.
    public enum Color: Int, Sendable {
        /// Bold, in whatever color text has.
        case bold = 1
        /// For what went wrong.
        case red = 31
        /// For what went well.
        case green = 32
        /// For what waits, or needs a look.
        case yellow = 33
        /// For what matters less.
        case gray = 90
    }

    /// Standard output: results.
    public static let output = Terminal(STDOUT_FILENO)
    /// Standard error: questions, progress, and what went wrong.
    public static let error = Terminal(STDERR_FILENO)

    /// Whether a person looks at it.
    public let isInteractive: Bool
    private let hasColors: Bool
    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        let environment = ProcessInfo.processInfo.environment
        isInteractive = isatty(descriptor) == 1 && environment["TERM"] != "dumb"
        hasColors = isInteractive && (environment["NO_COLOR"] ?? "").isEmpty
    }

    /// How many characters fit a line; `nil` if nobody looks at it.
    public var width: Int? {
        var size = winsize()
        guard isInteractive, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// A text in a color, if the stream shows colors; `NO_COLOR` is respected.
    public func colored(_ text: String, _ color: Color) -> String {
        hasColors ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Writes a text as it is; nothing is escaped. A failure isn't told.
    public func write(_ text: String) {
        try? writeAll(text)
    }

    /// Writes a text as it is; nothing is escaped.
    ///
    /// - Throws: Why some of it couldn't be written, as on a disk that is full.
    public func writeAll(_ text: String) throws(SystemError) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(code: errno) }
            bytes = bytes.dropFirst(count)
        }
    }
}
