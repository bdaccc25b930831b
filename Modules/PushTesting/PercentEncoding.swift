import PushCore

extension String {
    /// The text with each byte as `%XX` (RFC 3986, section 2.1) but ASCII letters, digits, and the
    /// characters to keep: if none are named, the other unreserved ones (section 2.3).
    package func percentEncoded(keeping kept: String = "-._~") -> String {
        utf8.reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where kept.utf8.contains(byte):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + Hexadecimal.text([byte], upperCase: true)
            }
        }
    }
}
