import Foundation

/// A terminal that doesn't show what is typed, and does so again whatever ends the reading.
///
/// Ctrl-C would otherwise leave the shell without an echo.
final class QuietTerminal {
    private let descriptor: Int32
    private var settings = termios()
    private let isQuiet: Bool
    private var handlers: [Int32: Handler] = [:]

    private typealias Handler = (@convention(c) (Int32) -> Void)?

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    /// A handler may do next to nothing, and it can't capture: it writes to a pipe.
    private static let pipe: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        _ = Foundation.pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        return (ends[0], ends[1])
    }()

    /// Turns the echo off.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isQuiet = tcgetattr(descriptor, &settings) == 0
        hush()
    }

    /// Turns it on again.
    deinit { restore() }

    /// Waits until something was typed.
    ///
    /// A signal has its effect once the echo is on again; if the process outlives it, by Ctrl-Z and
    /// `fg` or because somebody else handles it, this goes on.
    ///
    /// - Returns: Whether there is something to read, and not a signal that asks to give up.
    func waitForInput() -> Bool {
        while true {
            var ready = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: Self.pipe.reading, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&ready, nfds_t(ready.count), -1)
            if count < 0, errno != EINTR { return true }
            var number: UInt8 = 0
            if read(Self.pipe.reading, &number, 1) == 1 {
                restore()
                raise(Int32(number))
                guard Int32(number) == SIGTSTP else { return false }
                hush()
            } else if count > 0, ready[0].revents != 0 {
                return true
            }
        }
    }

    private func hush() {
        guard isQuiet else { return }
        let pipe = Self.pipe
        for number in Self.signals where pipe.writing >= 0 {
            let old = signal(number) { number in
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(QuietTerminal.pipe.writing, &byte, 1)
            }
            handlers.updateValue(old, forKey: number)
        }
        var quiet = settings
        quiet.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(descriptor, TCSAFLUSH, &quiet)
    }

    private func restore() {
        guard isQuiet else { return }
        tcsetattr(descriptor, TCSAFLUSH, &settings)
        for (number, handler) in handlers { signal(number, handler) }
        handlers = [:]
    }
}
