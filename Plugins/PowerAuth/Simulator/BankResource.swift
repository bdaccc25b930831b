public import HTTPTypes
public import PushCore
import PushTesting

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension PowerAuthSimulator {
    /// An endpoint of the bank's own, beside the vendor's.
    public struct BankResource: Sendable {
        /// Its path; a part in braces stands for any, such as `/secured/account/{id}`.
        public var path: String

        /// What signatures name it. Each `${name}` is filled from the request's parameter of that
        /// name, or else from the path.
        public var name: String

        /// The methods it takes.
        public var methods: Set<HTTPRequest.Method>

        /// How a request has to be proved.
        public var proof: Proof

        /// How a request has to be encrypted, and its answer is.
        public var encryption: Encryption

        /// What it answers.
        public var answer: JSON

        /// How a request is proved.
        public enum Proof: Hashable, Sendable {
            /// Not at all.
            case none
            /// By a signature of one of these kinds.
            case signature(Set<SignatureType>)
            /// By a token that was made with one of these kinds.
            case token(Set<SignatureType>)
        }

        /// For whom a request is encrypted.
        public enum Encryption: Hashable, Sendable {
            /// It isn't.
            case none
            /// For the application.
            case application
            /// For the activation.
            case activation
        }

        /// The kinds that an endpoint takes which names none: two factors or more.
        public static let usualTypes: Set<SignatureType> = [
            .possessionBiometry, .possessionKnowledge, .possessionKnowledgeBiometry,
        ]

        /// Creates an endpoint that wants two factors, and no encryption.
        ///
        /// - Parameters:
        ///   - path: Its path.
        ///   - name: What signatures name it; the path if `nil`.
        ///   - methods: The methods it takes.
        ///   - proof: How a request has to be proved.
        ///   - encryption: How a request has to be encrypted.
        ///   - answer: What it answers.
        public init(
            _ path: String, name: String? = nil, methods: Set<HTTPRequest.Method> = [.post],
            proof: Proof = .signature(usualTypes), encryption: Encryption = .none,
            answer: JSON = ["result": "done"]
        ) {
            self.path = path
            self.name = name ?? path
            self.methods = methods
            self.proof = proof
            self.encryption = encryption
            self.answer = answer
        }
    }

    /// What a bank's own endpoint got, once it was proved and decrypted.
    public struct ResourceCall: Hashable, Sendable {
        /// The method.
        public let method: HTTPRequest.Method
        /// The path with its query, as it came.
        public let path: String
        /// The body, decrypted.
        public let body: Data
        /// The activation that signed, sealed or has the token; `nil` if none is known.
        public let activation: String?
        /// What signed, or what the token was made with; `nil` if nothing did.
        public let type: SignatureType?
    }

    /// What the bank's own endpoints got, oldest first.
    public var resourceRequests: [ResourceCall] { resourceCalls }
}

/// A request to one of the bank's endpoints, as the framework before its handler sees it.
struct ResourceRequest {
    let resource: PowerAuthSimulator.BankResource
    let request: HTTPRequest
    let variables: [String: String]

    /// Finds the endpoint of a request.
    init?(_ request: HTTPRequest, in resources: [PowerAuthSimulator.BankResource]) {
        let path = (request.path ?? "").prefix { $0 != "?" }
        for resource in resources where resource.methods.contains(request.method) {
            guard let variables = Self.variables(of: path, in: resource.path) else { continue }
            self.resource = resource
            self.request = request
            self.variables = variables
            return
        }
        return nil
    }

    private static func variables(
        of path: Substring, in template: String
    ) -> [String: String]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = template.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == wanted.count else { return nil }
        var variables: [String: String] = [:]
        for (part, name) in zip(parts, wanted) {
            if name.hasPrefix("{"), name.hasSuffix("}") {
                variables[String(name.dropFirst().dropLast())] = String(part)
            } else if part != name {
                return nil
            }
        }
        return variables
    }

    /// What the signature has to cover, of a body that is decrypted by then; `nil` if the query
    /// can't be decoded.
    func signedContent(_ body: Data) -> SignedContent? {
        guard let parameters = FormQuery.parameters(ofPath: request.path ?? "") else { return nil }
        let isRead = request.method == .get
        return SignedContent(
            method: request.method.rawValue, uriID: name(parameters),
            body: isRead ? Data(FormQuery.canonical(parameters).utf8) : body)
    }

    /// The resource's name, filled in: a parameter goes before a part of the path.
    private func name(_ parameters: [(name: String, value: String)]) -> String {
        var text = resource.name
        var values = variables
        for parameter in parameters { values[parameter.name] = parameter.value }
        for (name, value) in values {
            text = text.split(separator: "${\(name)}", omittingEmptySubsequences: false)
                .joined(separator: value)
        }
        return text
    }
}

/// A query as the server's framework reads it: decoded as a whole first, and then again in parts.
enum FormQuery {
    static func parameters(ofPath path: String) -> [(name: String, value: String)]? {
        guard let mark = path.firstIndex(of: "?") else { return [] }
        guard let whole = decode(path[path.index(after: mark)...]) else { return nil }
        var parameters: [(name: String, value: String)] = []
        for piece in whole.split(separator: "&") {
            let halves = piece.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { continue }
            guard let name = decode(halves[0]), let value = decode(halves[1]) else { return nil }
            parameters.append((name, value))
        }
        return parameters
    }

    /// The fields of a query, each name once, decoded once; `nil` if it can't be read.
    static func fields(_ query: some StringProtocol) -> [String: String]? {
        var fields: [String: String] = [:]
        for piece in query.split(separator: "&") {
            let halves = piece.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let name = decode(halves[0]), let value = decode(halves[1]),
                fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return fields
    }

    static func canonical(_ parameters: [(name: String, value: String)]) -> String {
        parameters
            .map { (key: Array($0.name.utf16), value: Array($0.value.utf16), pair: $0) }
            .sorted { one, other in
                one.key == other.key
                    ? one.value.lexicographicallyPrecedes(other.value)
                    : one.key.lexicographicallyPrecedes(other.key)
            }
            .map { encode($0.pair.name) + "=" + encode($0.pair.value) }
            .joined(separator: "&")
    }

    private static func encode(_ text: String) -> String {
        String(text.percentEncoded(keeping: "-_.* ").map { $0 == " " ? "+" : $0 })
    }

    private static func decode(_ text: some StringProtocol) -> String? {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x25 {
                guard index + 2 < bytes.count,
                    let value = UInt8(
                        String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
                else { return nil }
                out.append(value)
                index += 3
            } else {
                out.append(bytes[index] == 0x2B ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
