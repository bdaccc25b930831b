import Dispatch

/// Stops the run if a promise is broken, told by code that has to wait. It blocks: libFuzzer takes a
/// target's return for the end of its input.
public func expectKept(_ work: @escaping @Sendable () async -> StaticString?) {
    let done = DispatchSemaphore(value: 0)
    let result = Result()
    Task.detached {
        result.broken = await work()
        done.signal()
    }
    done.wait()
    expectKept(result.broken)
}

/// Written before the semaphore is signalled and read after: that makes it safe to share.
private final class Result: @unchecked Sendable {
    var broken: StaticString?
}
