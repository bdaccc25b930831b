import Foundation

/// Input that a person types, or that somebody else writes, and that Ctrl-C calls off.
///
/// While it reads, what is typed may be hidden. Whatever ends the reading, the terminal then shows
/// it again: Ctrl-C would otherwise leave the shell without an echo.
final class InterruptibleInput {
    /// What is read.
    let descriptor: Int32

    private var settings = termios()
    private let isHidden: Bool
    private let resumed: () -> Void
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

    /// - Parameters:
    ///   - descriptor: What is read.
    ///   - hidden: Whether the terminal doesn't show what is typed.
    ///   - resumed: Called when it goes on after Ctrl-Z: the shell's lines are between the question and
    ///     the cursor then.
    init(_ descriptor: Int32, hidden: Bool, resumed: @escaping () -> Void = {}) {
        self.descriptor = descriptor
        self.resumed = resumed
        isHidden = hidden && tcgetattr(descriptor, &settings) == 0
        begin()
    }

    deinit { end() }

    /// Waits until there is something to read.
    ///
    /// A signal has its effect once the terminal is as it was. After Ctrl-Z and `fg`, this goes on.
    ///
    /// - Returns: Whether there is something, and nobody called off the task that asks.
    func wait() -> Bool {
        while !Task.isCancelled {
            var ready = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: Self.pipe.reading, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&ready, nfds_t(ready.count), 200)
            if count < 0, errno != EINTR { return true }
            var byte: UInt8 = 0
            if read(Self.pipe.reading, &byte, 1) == 1 {
                guard pass(on: Int32(byte)) else { return false }
            } else if count > 0, ready[0].revents != 0 {
                return true
            }
        }
        return false
    }

    /// - Returns: Whether to go on.
    private func pass(on number: Int32) -> Bool {
        let isOurs = Self.isDefault(handlers[number] ?? nil)
        end()
        // To the process, as a thread of the concurrency runtime may block signals.
        kill(getpid(), number)
        if number == SIGTSTP {
            // Here the process stops; without a shell that knows jobs, it doesn't.
            poll(nil, 0, 100)
            begin()
            resumed()
            return true
        }
        // The process ends while this waits, or somebody calls off the task that asks.
        var patience = 500
        while isOurs || (!Task.isCancelled && patience > 0) {
            poll(nil, 0, 10)
            patience -= 1
        }
        return false
    }

    private func begin() {
        for number in Self.signals {
            let old = signal(number) { number in
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(InterruptibleInput.pipe.writing, &byte, 1)
            }
            if Self.isIgnored(old) {
                signal(number, old)
            } else {
                handlers.updateValue(old, forKey: number)
            }
        }
        guard isHidden else { return }
        var quiet = settings
        quiet.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(descriptor, TCSAFLUSH, &quiet)
    }

    private func end() {
        if isHidden { tcsetattr(descriptor, TCSAFLUSH, &settings) }
        for (number, handler) in handlers { signal(number, handler) }
        handlers = [:]
    }

    private static func isDefault(_ handler: Handler) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self)
    }

    private static func isIgnored(_ handler: Handler) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
