import PushCore

extension Secret {
    /// The exclusive or of its two halves: how the protocol makes 16-byte keys of 32 bytes.
    ///
    /// It is asked of 32 bytes alone. Of an odd number, the byte in the middle is left out.
    func folded() -> Secret {
        withBytes { bytes in
            let half = bytes.count / 2
            return Secret(count: half) { output in
                for index in 0..<half {
                    output[index] = bytes[index] ^ bytes[bytes.count - half + index]
                }
            }
        }
    }
}
