package import PushCore

extension Secret {
    /// A copy of the bytes, for comparisons in tests.
    package var copied: [UInt8] { withBytes { Array($0) } }
}
