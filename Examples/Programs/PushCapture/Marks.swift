import PushCore

/// Gives each text that isn't to be shown a number: the same text has the same one in the whole file,
/// and nothing of the text is in it but what it's made of and how long it is.
///
/// Counted, not hashed: a hash of a PIN would tell the PIN to whoever tries them all.
struct Marks {
    /// By bytes, as to hash a text may take the square of its length.
    private var numbers: [[UInt8]: Int] = [:]

    /// Such as `<hex#3/32>`: of hexadecimal digits, the third text, 32 bytes long.
    mutating func mark(_ text: String) -> String {
        mark(text, as: Self.kind(of: text), length: text.utf8.count)
    }

    /// A mark of something that has no text of its own, such as a challenge.
    mutating func mark(_ text: String, as kind: String, length: Int? = nil) -> String {
        let bytes = Array(text.utf8)
        let number = numbers[bytes, default: numbers.count + 1]
        numbers[bytes] = number
        return "<\(kind)#\(number)\(length.map { "/\($0)" } ?? "")>"
    }

    private static func kind(of text: String) -> String {
        func consists(of characters: String) -> Bool {
            text.utf8.allSatisfy(characters.utf8.contains)
        }
        let digits = "0123456789"
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        if text.isEmpty { return "empty" }
        if consists(of: digits) { return "digits" }
        if consists(of: digits + "abcdefABCDEF") { return "hex" }
        if text.utf8.count == 36, consists(of: digits + "abcdefABCDEF-") { return "uuid" }
        guard text.utf8.count >= 16 else { return "text" }
        if consists(of: digits + letters + "-_") { return "base64url" }
        return consists(of: digits + letters + "+/=") ? "base64" : "text"
    }
}
