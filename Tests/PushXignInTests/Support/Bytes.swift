import Crypto
import Foundation
import IndependentEncodings

func openSealed(_ sealed: [UInt8], key: [UInt8], data: [UInt8]) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
    return (try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: Data(data)))
        .map { Array($0) }
}

extension [UInt8] {
    /// Whether a run of bytes occurs in these.
    func contains(run: [UInt8]) -> Bool {
        guard !run.isEmpty, run.count <= count else { return false }
        return Data(self).range(of: Data(run)) != nil
    }

    /// The forms in which these bytes could be written, to look for them.
    var forms: [[UInt8]] {
        let texts = [base64(self), base64url(self), hex(self), hex(self).uppercased()]
        // The heart of the text that base64 makes of the bytes at any offset in something longer.
        let shifted = (0..<3).map { offset in
            let text = base64(Array(repeating: 0, count: offset) + self)
            return String(text.dropFirst(offset == 0 ? 0 : 4).dropLast(4))
        }
        let all =
            texts + shifted
            + shifted.map { text in
                text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(
                    of: "/", with: "_")
            }
        return [self] + all.filter { $0.utf8.count >= 4 }.map { Array($0.utf8) }
    }
}
