import Crypto
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct SignatureCounterTests {
    /// From a counter of powerauth-crypto, `signatures-v31.json`; the steps were computed by two
    /// independent programs.
    private static let chain = [
        "64H8UkXgWHtwWOJ4a1FIQQ==", "0uSXvLZiSxuv2RieaTUM5A==", "FQ95QHHXLx6w3NvH1KxpeQ==",
        "oksVs8z3I0VOytYsQu8wjg==",
    ]

    @Test func `the counter steps as in the example`() throws {
        var counter = try Sample.counter(Self.chain[0])
        for (step, value) in Self.chain.enumerated() {
            #expect(counter.data.base64 == value)
            #expect(counter.byte == UInt8(step))
            #expect(try Sample.counter(Self.chain[0]).advanced(by: step) == counter)
            counter = counter.next()
        }
    }

    @Test func `a step leaves the counter it was made from as it was`() throws {
        let counter = try Sample.counter(Self.chain[0], byte: 4)
        _ = counter.next()
        #expect(counter.data.base64 == Self.chain[0] && counter.byte == 4)
        #expect(counter.advanced(by: 0) == counter)
        #expect(counter.advanced(by: -1) == counter)
    }

    @Test func `after 255 comes 0`() throws {
        #expect(try Sample.counter(Self.chain[0], byte: 255).next().byte == 0)
        #expect(try Sample.counter(Self.chain[0]).advanced(by: 300).byte == 44)
    }

    @Test func `value and number both make a counter`() throws {
        let counter = try Sample.counter(Self.chain[0], byte: 1)
        #expect(counter == (try Sample.counter(Self.chain[0], byte: 1)))
        #expect(counter != (try Sample.counter(Self.chain[0], byte: 2)))
        #expect(counter != (try Sample.counter(Self.chain[1], byte: 1)))
    }

    @Test func `a counter has 16 bytes`() {
        for count in [0, 15, 17, 32] {
            let value = Secret(count: count) { _ in }
            #expect(Sample.refusal { _ = try SignatureCounter(data: value) } == .malformed)
        }
    }
}
