import Foundation
import TerminalIO

/// The policy of a process that goes on for long, read again when it is told to.
///
/// A signal comes at any moment, so a lock guards what changes, which is why `@unchecked Sendable` is
/// safe.
final class StandingPolicy: @unchecked Sendable {
    private let path: String?
    private let providers: [String]
    private let lock = NSLock()
    private var rules: Policy

    /// - Parameters:
    ///   - path: The file; `nil` for no rules.
    ///   - providers: The providers that a rule may name.
    /// - Throws: `Failure` if the file can't be used.
    init(_ path: String?, providers: [String]) throws(Failure) {
        self.path = path
        self.providers = providers
        rules =
            try path.map { path throws(Failure) in
                try Policy.read(path, providers: providers)
            } ?? Policy()
    }

    /// Rules that come from no file.
    init(_ policy: Policy) {
        path = nil
        providers = []
        rules = policy
    }

    /// What counts now.
    var current: Policy { lock.withLock { rules } }

    /// Reads the file again. What can't be used is said, and the old rules stand.
    func readAgain() {
        guard let path else { return }
        do throws(Failure) {
            let new = try Policy.read(path, providers: providers)
            lock.withLock { rules = new }
            Terminal.error.write("The policy was read again.\n")
        } catch {
            error.report()
            Terminal.error.write("The rules that were read before stand.\n")
        }
    }
}

/// Turns SIGHUP, by which a supervisor asks for what is new, into a call; it ends nothing then.
struct Hangup {
    private let source: any DispatchSourceSignal

    init(_ handler: @escaping @Sendable () -> Void) {
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(
            signal: SIGHUP, queue: DispatchQueue(label: "pushauth.hangup"))
        source.setEventHandler(handler: handler)
        source.resume()
    }

    /// From now on, the signal has its effect again.
    func end() {
        source.cancel()
        signal(SIGHUP, SIG_DFL)
    }
}
