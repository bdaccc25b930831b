public import PushCore

extension PrivacyIDEASimulator {
    /// What is wrong with a challenge that the server itself would never send, in its push and in
    /// each poll.
    @nonexhaustive
    public enum BadChallenge: Hashable, Sendable {
        // MARK: Changed after signing

        /// A field is this instead, or there in addition; the signatures are those of the genuine.
        case tampered(field: String, value: JSON)
        /// A field is missing; the signatures are those of the genuine.
        case missing(field: String)

        // MARK: Signed by somebody else, or another way

        /// The signature is by a key that nobody has: random bytes below the modulus.
        case wrongKey
        /// It is signed with the key of another token.
        case signedWithKey(ofToken: String)
        /// It is signed by RSA with the other padding, PSS.
        case pss
        /// It is signed over SHA-1.
        case sha1
        /// The signature is in Base64.
        case signatureInBase64
        /// The signature lacks its last bytes.
        case cutSignature
        /// The signature is empty.
        case emptySignature
        /// The signature of the capabilities stands where the main one belongs, too.
        case signatureOfCapabilities

        // MARK: Capabilities

        /// The capabilities are signed for another challenge.
        case capabilitiesOfAnotherNonce
        /// The capabilities are these instead, correctly signed.
        case capabilities(JSON.Object)
        /// The signature of the capabilities is wrong.
        case wrongCapabilitiesSignature

        // MARK: Well signed, not acceptable

        /// A field is this instead, correctly signed, such as a `url` elsewhere. The server still
        /// takes an answer.
        case signed(field: String, value: String)

        // MARK: One signature, another reading

        /// The options stand in `sslverify`, and its `1` in the title. For a login with options.
        case optionsInSSLVerify
        /// The title of a plain question ends in words that are read as options.
        case titleReadAsOptions

        /// It is fine, but its push arrives twice.
        case repeated
    }

    package typealias BadPush = BadChallenge
}
