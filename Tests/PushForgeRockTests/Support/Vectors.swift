import Foundation
import IndependentEncodings
import PushTesting
import Testing

extension Vectors {
    /// The worked examples.
    init() throws { try self.init("worked-example", in: Bundle.module.resourceURL) }

    func callAsFunction(_ name: String) throws -> String { try text(name) }

    func data(_ name: String) throws -> Data { Data(try text(name).utf8) }

    /// An example whose value is written in hexadecimal digits.
    func bytes(_ name: String) throws -> [UInt8] {
        let text = try text(name)
        let isHexadecimal = text.allSatisfy(\.isHexDigit)
        try #require(isHexadecimal, "Not hexadecimal: \(text)")
        return IndependentEncodings.bytes(hex: text)
    }
}
