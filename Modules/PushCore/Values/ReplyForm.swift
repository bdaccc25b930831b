public import HTTPTypes

/// Whose word a reply is: firewalls, portals and maintenance pages answer as well, with any status.
extension HTTPResponse {
    /// Whether a body that came with it may be JSON: its media type is JSON's (RFC 8259 section 11, RFC 6839
    /// section 3.1), or it names none.
    public var mayHoldJSON: Bool {
        guard let field = headerFields[.contentType] else { return true }
        // Bytes: what a stranger writes may have a million marks in one `Character`.
        let type = field.utf8.prefix { $0 != 0x3B }.filter { $0 != 0x20 && $0 != 0x09 }
            .map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        return type.isEmpty || type.elementsEqual("application/json".utf8)
            || type.suffix(5).elementsEqual("+json".utf8)
    }
}

extension PushError {
    /// The error for a reply in no form that its vendor documents: nobody's word.
    ///
    /// - Parameters:
    ///   - status: The reply's. One of 2xx is no success: whether the vendor got the request, nobody
    ///     knows, so the code is `interrupted`. Of any other it's `server`.
    ///   - reason: For developers. It holds nothing that the reply said.
    /// - Returns: The error.
    public static func unexplained(status: Int, _ reason: String) -> PushError {
        PushError(200..<300 ~= status ? .interrupted : .server(status: status), reason)
    }
}
