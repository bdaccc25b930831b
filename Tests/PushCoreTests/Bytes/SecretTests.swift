import Foundation
import PushCore
import PushTesting
import Testing

struct SecretTests {
    private let secret = Secret(copying: "hunter2")

    @Test func `a secret shows nothing, however it is printed`() {
        struct Holder { let inner: Secret }
        var dumped = ""
        dump(Holder(inner: secret), to: &dumped)
        let shown = [
            "\(secret)", secret.description, secret.debugDescription, String(describing: secret),
            String(reflecting: secret), "\(Holder(inner: secret))", "\([secret])", dumped,
            "\(Mirror(reflecting: secret).children.map { $0.value })",
        ]
        for text in shown {
            #expect(!text.contains("hunter2") && !text.contains("104"))
        }
        #expect("\(secret)" == "<secret>")
        #expect(String(reflecting: secret) == "<secret>")
        #expect(dumped.contains("<secret>"))
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func `a secret can't be encoded, compared or hashed by accident`() {
        let value: Any = secret
        #expect(!(value is any Encodable))
        #expect(!(value is any Equatable))
        #expect(!(value is any Hashable))
    }

    @Test(arguments: [
        ([UInt8](), [UInt8](), true), ([1, 2, 3], [1, 2, 3], true), ([1, 2, 3], [1, 2, 4], false),
        ([0, 2, 3], [1, 2, 3], false), ([1, 2], [1, 2, 0], false), ([], [0], false),
    ])
    func `secrets are equal by name if their bytes are`(one: [UInt8], other: [UInt8], equal: Bool) {
        #expect(Secret(one).isEqualInConstantTime(to: Secret(other)) == equal)
    }

    @Test func `bytes are zeroed just before they are freed, once, with the last copy`() {
        let seen = Recorder()
        do {
            let original = Secret([1, 2, 3]) { seen.add(Array($0)) }
            do {
                let copies = [original, original]
                #expect(copies.count == 2)
            }
            #expect(seen.all.isEmpty)
            original.withBytes { #expect(Array($0) == [1, 2, 3]) }
        }
        #expect(seen.all == [[0, 0, 0]])
    }

    @Test func `copies share one buffer`() {
        let copy = secret
        let one = secret.withBytes { $0.baseAddress }
        let other = copy.withBytes { $0.baseAddress }
        #expect(one == other)
    }

    @Test func `a secret is filled in place, from zeroed memory`() {
        let filled = Secret(count: 4) { buffer in
            #expect(buffer.allSatisfy { $0 == 0 })
            buffer[1] = 9
        }
        filled.withBytes { #expect(Array($0) == [0, 9, 0, 0]) }
        #expect(filled.count == 4)
    }

    @Test func `an empty secret is a secret`() {
        let empty = Secret([])
        #expect(empty.count == 0)
        #expect(empty.isEqualInConstantTime(to: Secret(count: 0) { _ in }))
        empty.withBytes { #expect($0.isEmpty) }
        #expect("\(empty)" == "<secret>")
    }

    @Test func `an error thrown while bytes are lent reaches the caller`() {
        #expect(throws: PushError.self) {
            try secret.withBytes { (_) throws(PushError) in throw PushError(.malformed, "No.") }
        }
    }
}

/// Remembers bytes from a synchronous callback, in one thread.
private final class Recorder: @unchecked Sendable {
    // Safe: the test that makes it is the only one to use it, on one thread.
    private(set) var all: [[UInt8]] = []
    func add(_ bytes: [UInt8]) { all.append(bytes) }
}
