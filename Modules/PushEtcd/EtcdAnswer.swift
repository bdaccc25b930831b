import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What came of one request to one member.
enum EtcdAnswer: Sendable {
    case reply(EtcdReply)
    /// Nothing was done: another member may do it.
    case unsent(PushError)
    /// It may have been done.
    case unknown(PushError)
    /// Nothing was done, and nothing would be if it were repeated.
    case refused(PushError)
    /// Nothing was done; it may be repeated after a pause.
    case busy(PushError)
    /// Nothing was done, as the token isn't valid any more.
    case unauthenticated(PushError)
    /// Its database is full. A write that passed the first look at the quota is made all the same.
    case full(PushError)
    /// If it was done, then in another state of the cluster than the one that is known.
    case foreign(PushError)
    /// The history that was asked for is gone.
    case compacted

    /// - Parameters:
    ///   - error: Why there was no reply.
    ///   - member: The member's host and port.
    init(_ error: PushError, from member: String) {
        switch error.code {
        case .unreachable, .untrustedServer, .pinMismatch, .cancelled:
            self = .unsent(error)
        case .interrupted, .oversizedReply:
            self = .unknown(error)
        case .insecureRequest:
            self = .refused(
                PushError(
                    .storage,
                    "The transport refuses plain HTTP to the etcd member \(member): give the member "
                        + "as https, or let the transport use plain HTTP.", underlying: error))
        default:
            self = .refused(
                PushError(.storage, "etcd can't be used: \(error.reason)", underlying: error))
        }
    }

    /// - Parameters:
    ///   - response: A member's reply.
    ///   - body: Its body.
    ///   - member: The member's host and port.
    ///   - place: What of etcd's keys the store needs, such as `pa/1/acme/`.
    init(_ response: HTTPResponse, _ body: Data, from member: String, for place: String) {
        switch response.status.code {
        case 200:
            do throws(PushError) {
                self = .reply(try EtcdReply(reading: body))
            } catch {
                self = .unknown(
                    PushError(
                        .interrupted,
                        "The reply of \(member) isn't that of an etcd's JSON gateway.",
                        underlying: error))
            }
        // A gateway says some of them for what it broke off, or replaced, after it had passed it on.
        case 201..<300, 408, 409, 499...:
            // etcd and its gateway say everything as JSON.
            let isEtcds = (try? JSON(parsing: body)) != nil
            self = .unknown(
                PushError(
                    .server(status: response.status.code),
                    isEtcds
                        ? "The etcd member \(member) replied with \(response.status.code)."
                        : "\(member) replied with \(response.status.code), and not as etcd does: a "
                            + "balancer stands there, perhaps, and reaches no member."))
        default:
            self = Self(EtcdFailure(response, body), from: member, for: place)
        }
    }

    private init(_ failure: EtcdFailure, from member: String, for place: String) {
        switch (failure.status, failure.code) {
        case (400, 11) where failure.says("has been compacted"):
            self = .compacted
        case (400, 3) where failure.says("request is too large"),
            (429, 8) where failure.says("message larger than max"):
            self = .refused(
                PushError(
                    .invalidArgument,
                    "The value is larger than etcd takes in a request, 1.5 MiB unless its "
                        + "--max-request-bytes says otherwise."))
        case (429, 8) where failure.says("database space exceeded"):
            self = .full(
                PushError(
                    .storage,
                    "etcd's database is full: compact and defragment it, raise "
                        + "--quota-backend-bytes, then disarm the alarm NOSPACE."))
        case (429, _):
            self = .busy(PushError(.storage, "The etcd member \(member) has too many requests."))
        case (401, _),
            (400, 3) where failure.says("revision of auth store is old"):
            self = .unauthenticated(
                PushError(
                    .storage,
                    "etcd doesn't take the token that it just gave: see --auth-token, which must be "
                        + "the same at all members."))
        default:
            self = .refused(PushError(.storage, failure.advice(for: member, place)))
        }
    }
}

/// What a member said when it did nothing.
private struct EtcdFailure {
    let status: Int
    /// gRPC's code, where the body has one.
    let code: Int64?
    private let text: String

    init(_ response: HTTPResponse, _ body: Data) {
        status = response.status.code
        let json = try? JSON(parsing: body.prefix(4096))
        code = json?["code"]?.integer
        text =
            json?["message"]?.string ?? json?["error"]?.string
            ?? String(decoding: body.prefix(4096), as: UTF8.self)
    }

    func says(_ words: String) -> Bool { text.contains(words) }

    /// What to set up.
    func advice(for member: String, _ place: String) -> String {
        switch status {
        case 400 where says("user name is empty"):
            "etcd has authentication on: give the store a user and a password."
        case 400 where says("authentication failed"):
            "etcd doesn't take the user or the password: check both."
        case _ where says("authentication is not enabled"):
            "etcd has no authentication on: enable it, or give the store no user."
        case 400 where says("CommonName"):
            "With authentication on, etcd's JSON gateway takes no client certificate that has a "
                + "CommonName: make one without."
        case 400 where says("too many operations"):
            "etcd takes fewer operations in a transaction than 128: raise --max-txn-ops."
        case 403:
            "etcd's user may not use the keys from \(place) on: grant its role READWRITE on that "
                + "prefix."
        case 404:
            "\(member) has no JSON gateway of etcd 3.4 or newer: check the address, and that "
                + "--enable-grpc-gateway is on."
        default:
            "The etcd member \(member) replied with \(status), code \(code.map { "\($0)" } ?? "none")."
        }
    }
}
