import PushCore

/// The headers that most servers write, as they stand in a token: their bytes need no reading again.
///
/// Each was read and checked as any other, once, and counts for a header of exactly its bytes.
enum UsualHeaders {
    private static let all: [(text: [UInt8], header: JWSHeader)] = [
        #"{"typ":"JWT","alg":"HS256"}"#, #"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"HS256"}"#,
        #"{ "typ": "JWT", "alg": "HS256" }"#,
        #"{"typ":"JWT","alg":"ES256"}"#, #"{"alg":"ES256","typ":"JWT"}"#, #"{"alg":"ES256"}"#,
    ].compactMap { json in
        guard let header = try? JWSHeader(parsing: Array(json.utf8), JSON.Limits()) else {
            return nil
        }
        return (Array(Base64.encode(Array(json.utf8), as: .url).utf8), header)
    }

    /// The header that a token's first part stands for, if it is one of these.
    static func header(in text: UnsafeRawBufferPointer, _ limits: JSON.Limits) -> JWSHeader? {
        guard limits.depth > 0 else { return nil }
        return all.first { $0.text.count == text.count && $0.text.elementsEqual(text) }?.header
    }
}
