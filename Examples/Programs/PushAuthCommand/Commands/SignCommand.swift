import ArgumentParser
import Foundation
import HTTPTypes
import PushCore
import TerminalIO
import VendorRegistration

struct SignCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Make the headers that prove a request of one's own, for a script that sends it.",
        discussion: """
            Some vendors let an enrolled device sign the requests that an app sends to its own \
            server. Nothing is sent but what the vendor's server must be asked for. The headers \
            prove one request: send it once, before another is signed, with these very bytes.

            The URL isn't signed, but for a GET's query: --resource is the name that the server's \
            owner has given the resource. A wrong PIN isn't noticed here; the server counts it.
            """)

    @Argument(help: "The ID of the enrollment.", completion: .enrollments) var id: String?

    @Option(help: ArgumentHelp("GET, POST, PUT, PATCH or DELETE.", valueName: "method"))
    var method = "POST"

    @Option(help: ArgumentHelp("What the server names the resource.", valueName: "name"))
    var resource: String

    @Option(
        help: ArgumentHelp(
            "What the signature proves, by the vendor's name; a wrong one is answered with all.",
            valueName: "name"))
    var factors: String

    @Option(
        help: ArgumentHelp(
            "The body as it will be sent; - for standard input.", valueName: "file"),
        completion: .file())
    var body: String?

    @Option(
        help: ArgumentHelp("The query of a GET as it will be sent, without ?.", valueName: "text"))
    var query: String?

    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    private static let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]

    func validate() throws {
        try selection.check(orID: id)
        let isRead = method == HTTPRequest.Method.get.rawValue
        guard Self.methods.contains(where: { $0.rawValue == method }) else {
            throw ValidationError(
                "--method is one of \(Self.methods.map(\.rawValue).joined(separator: ", ")).")
        }
        guard body == nil || !isRead else {
            throw ValidationError("A GET has no body: its --query is signed.")
        }
        guard query == nil || isRead else {
            throw ValidationError("--query goes with --method GET: of others, the body is signed.")
        }
        guard body != "-" || (verification.pinFd != 0 && verification.biometryFd != 0) else {
            throw ValidationError(
                "Standard input is the body: give the proof by another descriptor.")
        }
    }

    func run() async throws {
        try await performing { cutoff in
            let body = try readBody()
            let user = CommandUser(verification)
            let session = try await Session(options, verifier: user, cutoff: cutoff)
            let enrollment = try await session.enrollment(id, selection)
            let provider = try session.provider(of: enrollment.id)
            guard let signer = session.linked.signer(of: provider.id) else {
                throw Failure(.failed, "\(provider.id.rawValue) signs no requests of one's own.")
            }
            let kind = try kind(among: signer.kinds)
            // Outside the turn: a user who takes their time mustn't keep an answer waiting.
            let evidence = try await user.verify(
                VerificationRequest(
                    .manage(enrollment.id, "sign a request"), alternatives: [kind.factors]))
            let fields = try await signer.fields(
                for: SignableRequest(
                    head, body: body, resource: resource, kind: kind, evidence: evidence),
                by: enrollment.id, of: provider, in: session.authenticator)
            options.reporter.show(SignatureReport(fields: fields, subject: Subject(enrollment)))
            return .done
        }
    }

    /// No server is named: none of it is signed.
    private var head: HTTPRequest {
        HTTPRequest(
            method: HTTPRequest.Method(method) ?? .post, scheme: nil, authority: nil,
            path: "/" + (query.map { "?" + $0 } ?? ""))
    }

    private func kind(among kinds: [RequestSigner.Kind]) throws(Failure) -> RequestSigner.Kind {
        guard let kind = kinds.first(where: { $0.name == factors }) else {
            throw Failure(
                .usage, "The vendor has no signature called '\(printable(factors))'.",
                advice: "--factors is one of \(kinds.map(\.name).joined(separator: ", ")).")
        }
        return kind
    }

    private func readBody() throws -> Data {
        guard let body else { return Data() }
        var input = try BoundedInput(body, limit: 16 << 20, isText: false)
        return try input.all()
    }
}

/// The fields that prove a request.
struct SignatureReport: Report {
    let fields: HTTPFields
    let subject: Subject?

    var json: JSON {
        var headers = JSON.Object()
        for field in fields { headers[field.name.rawName] = .string(field.value) }
        return ["headers": .object(headers)]
    }

    /// As `curl -H @-` reads them.
    func text(for terminal: Terminal) -> String {
        fields.map { "\($0.name.rawName): \($0.value)" }.joined(separator: "\n")
    }
}
