import CFuzzer

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Runs a fuzz target until libFuzzer's arguments say to stop, then exits.
///
/// Call it from `main`, once. Whatever a sanitizer or a trap stops is a finding; so is a promise that
/// ``expect(_:_:)`` finds broken.
///
/// - Parameter target: Takes one input. It must not throw: an input that is refused is a good one.
@MainActor
public func fuzz(_ target: @escaping @MainActor (UnsafeRawBufferPointer) -> Void) -> Never {
    current = target
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    let body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt = { start, count in
        // libFuzzer calls back on the thread that entered its loop, which is the main one.
        MainActor.assumeIsolated {
            current?(UnsafeRawBufferPointer(start: start, count: count))
        }
        return 0
    }
    let status = withUnsafeMutablePointer(to: &arguments) { pointer in
        pointer.withMemoryRebound(
            to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self, capacity: 1
        ) { LLVMFuzzerRunDriver(&count, $0, body) }
    }
    exit(status)
}

/// Stops the run if a promise is broken, so that libFuzzer keeps the input that broke it.
public func expect(_ kept: Bool, _ promise: StaticString) {
    if !kept { fatalError("Broken: \(promise)") }
}

/// Stops the run if a promise is broken, told by the code that found it.
public func expectKept(_ broken: StaticString?) {
    if let broken { expect(false, broken) }
}

// A C function can't capture; one process runs one target.
@MainActor private var current: (@MainActor (UnsafeRawBufferPointer) -> Void)?
