import Foundation
import IndependentEncodings
import PushTesting

extension Vectors {
    /// The published test vectors of OOC/1.
    init() throws { try self.init("ooc", in: Bundle.module.resourceURL) }

    func callAsFunction(_ name: String) throws -> [UInt8] { bytes(hex: try text(name)) }
}
