import HTTPTypes
public import PushCore
import PushJOSE
public import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PlusAuthSimulator {
    /// The page of a login, as the path that its requests go to.
    ///
    /// The name of the query's one parameter is ours. A GET gets the page's context, see
    /// ``page(of:)``; a POST of `{}` asks how the login stands; with `&useQuery=true` it carries
    /// a one-time code as `code`; a GET of the path with `/resend` sends the push again.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func path(of login: SimulatedLogin.ID) throws(PushError) -> String {
        guard let page = logins[login] else { throw unknownLogin }
        return "\(page.flow.path)?login=\(login)"
    }

    /// What the page of a login shows, by the names of the page's context: `push_code`, `devices`,
    /// `challenges`, `resend_after` in milliseconds, and while it enrolls a device `dataUrl`.
    ///
    /// Here `dataUrl` holds the text of the QR code, not its picture.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func page(of login: SimulatedLogin.ID) throws(PushError) -> JSON {
        guard let page = logins[login] else { throw unknownLogin }
        let devices = devices(of: page.user).map { device -> JSON in
            [
                "vendor": device.model.vendor.map(JSON.string) ?? nil,
                "model": device.model.model.map(JSON.string) ?? nil,
            ]
        }
        var context: JSON.Object = [
            "challenges": .array(configuration.challenges.map(JSON.string)),
            "devices": .array(devices),
            "resend_after": .number(
                JSON.Number(Int64(configuration.resendAfter.inSeconds * 1000))),
        ]
        if let openInvitation = page.openInvitation.flatMap({ openInvitations[$0] }) {
            context["dataUrl"] = .string(
                "data:text/plain;base64," + Base64.encode(Data(openInvitation.uri.utf8)))
        } else {
            context["push_code"] = page.shown.map(JSON.string)
        }
        return .object(context)
    }

    /// Types a one-time code into the page of a login.
    ///
    /// It counts if it is the code of one of the user's devices now, one step ago or one step
    /// ahead, and only once. An earlier code doesn't count after it.
    ///
    /// - Parameters:
    ///   - code: The digits; leading zeros may be missing.
    ///   - login: The login.
    /// - Returns: What the page makes of it.
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    @discardableResult
    public func submitCode(
        _ code: String, for login: SimulatedLogin.ID
    ) throws(PushError) -> CodeVerdict {
        guard let page = logins[login] else { throw unknownLogin }
        guard try status(of: login) == .waiting else { return .over }
        guard (1...8).contains(code.utf8.count), code.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return .invalid
        }
        let verdict = spend(code, of: page.user)
        if verdict == .accepted { logins[login]?.end = .approved }
        return verdict
    }

    /// Takes a code of one of a user's devices, the oldest first.
    private func spend(_ code: String, of user: String) -> CodeVerdict {
        let now = configuration.clock.now
        var verdict = CodeVerdict.incorrect
        for index in credentials.indices where credentials[index].user == user {
            let one = credentials[index].code.spend(code, at: now)
            if one != .incorrect { verdict = one }
            if one == .accepted { return one }
        }
        guard configuration.acceptsCodesBeforeEnrollment else { return verdict }
        for token in openInvitations.keys.sorted() {
            guard let openInvitation = openInvitations[token], openInvitation.user == user,
                !openInvitation.isUsed,
                now < openInvitation.expiry,
                let one = openInvitations[token]?.code.spend(code, at: now),
                one != .incorrect
            else { continue }
            verdict = one
            if one == .accepted { return one }
        }
        return verdict
    }

    /// Answers a request of the login page.
    func page(_ target: Target, _ request: HTTPRequest, _ body: Data) throws(Rejection)
        -> ServerReply
    {
        guard let id = target["login"], let page = logins[id] else { throw .notFound }
        switch target.path {
        case page.flow.path where request.method == .get:
            guard let context = try? self.page(of: id) else { throw .notFound }
            return ServerReply(json: context)
        case page.flow.path where request.method == .post:
            guard let members = try? JSON(parsing: body).object else {
                throw .invalidRequest("The body isn't a JSON object.")
            }
            guard target["useQuery"] == "true" else { return try poll(id, request) }
            return try take(members["code"], for: id, request)
        case page.flow.path + "/resend" where request.method == .get: return try resend(page, id)
        case page.flow.path, page.flow.path + "/resend": throw .wrongMethod
        default: throw .notFound
        }
    }

    /// What the page is told. How it is told of a refusal is UNCONFIRMED.
    private func poll(_ id: SimulatedLogin.ID, _ request: HTTPRequest) throws(Rejection)
        -> ServerReply
    {
        // The page's button for "the device is enrolled" posts the same.
        try? proceed(with: id)
        switch try? status(of: id) {
        case .waiting: throw .page("authorization_pending", "Nobody has answered yet.")
        case .approved: return try followed(id, request)
        case .expired: throw .page("code_expired", "The challenge has expired.")
        case .denied, .failed, nil: throw .page("invalid_code", "The login was refused.")
        }
    }

    private func take(
        _ code: JSON?, for id: SimulatedLogin.ID, _ request: HTTPRequest
    ) throws(Rejection) -> ServerReply {
        let text = code?.string ?? code?.integer.map { "\($0)" }
        let verdict = text.flatMap { try? submitCode($0, for: id) } ?? .invalid
        guard verdict == .accepted else {
            throw .page(verdict.word, "The code isn't accepted.")
        }
        return try followed(id, request)
    }

    /// Sends the browser on: an XHR is told where, as it can't see redirects.
    private func followed(
        _ id: SimulatedLogin.ID, _ request: HTTPRequest
    ) throws(Rejection) -> ServerReply {
        let location = "\(origin)/signin/complete?login=\(id)"
        let header = HTTPField.Name("X-Requested-With").flatMap { request.headerFields[$0] }
        guard header == "XMLHttpRequest" else { return ServerReply(redirectingTo: location) }
        var rejection = Rejection.page("xhr_request", "Go on at the location.")
        rejection.location = location
        throw rejection
    }

    private func resend(_ page: Login, _ id: SimulatedLogin.ID) throws(Rejection) -> ServerReply {
        if let sent = page.sent {
            let wait = (sent + configuration.resendAfter.inSeconds)
                .timeIntervalSince(configuration.clock.now)
            guard wait <= 0 else { throw .tooManyRequests(wait: wait) }
        }
        do throws(PushError) {
            try resend(id)
        } catch {
            throw .invalidRequest(error.reason)
        }
        return .success
    }
}
