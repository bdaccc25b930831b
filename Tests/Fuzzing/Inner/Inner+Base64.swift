import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Inner {
    /// Reads a text in every way.
    public static func base64(_ text: UnsafeRawBufferPointer) -> StaticString? {
        let lenient = try? Base64.data(from: text, as: .anyAlphabet)
        for (reading, alphabet) in [
            (Base64.Reading.standard, Base64.Alphabet.standard), (.url, .url),
        ] {
            guard let strict = try? Base64.data(from: text, as: reading) else { continue }
            guard Base64.encode(strict, as: alphabet).utf8.elementsEqual(text) else {
                return "a strict text is what its bytes are written as"
            }
            guard lenient == strict else {
                return "the lenient reader reads what a strict one reads"
            }
        }
        if let lenient {
            let strict = try? Base64.data(from: Base64.encode(lenient, as: .url), as: .url)
            guard strict == lenient else { return "what is written is read again" }
        }
        let string = String(decoding: text, as: UTF8.self)
        guard string.utf8.elementsEqual(text) else { return nil }
        guard (try? Base64.bytes(from: string, as: .anyAlphabet)) == lenient.map(Array.init),
            (try? Base64.secret(from: string, as: .anyAlphabet).withBytes { Data($0) }) == lenient
        else { return "all readers of one text agree" }
        return nil
    }
}
