#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A POSIX mutex, for state that a plain thread shares, or that is read without `await`.
///
/// The mutex lives at an address of its own until the last user is gone, and POSIX makes its
/// operations safe from any thread: that is why `@unchecked Sendable` is safe.
package final class ThreadLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Makes a mutex.
    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Runs a function while no other runs under this lock.
    package func withLock<Value>(_ body: () -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}

/// A value behind a mutex, for what must be read without `await`.
///
/// `@unchecked Sendable` is safe here because every access to the value holds the lock.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = ThreadLock()

    /// Its own lock sees to it that there is one access at a time.
    @exclusivity(unchecked) private var value: Value

    /// Puts a value behind a mutex.
    package init(_ value: Value) {
        self.value = value
    }

    /// Lends the value to a function while no other has it.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&value) }
    }
}

/// What bytes were read as, once for the value that holds them and its copies. It is never printed.
package struct ReadOnce: Sendable, CustomReflectable {
    private let known = Locked<(any Sendable)?>(nil)

    package init() {}

    /// What was read, or what `read` reads if nothing of this type was.
    package func value<Value: Sendable>(
        _ read: () throws(PushError) -> Value
    ) throws(PushError) -> Value {
        if let known = known.withLock({ $0 }), let value = known as? Value { return value }
        let value = try read()
        known.withLock { $0 = value }
        return value
    }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
