import Foundation
import HTTPTypes
import PushCore
import PushTesting

@testable import PushEtcd

/// Replies that etcd 3.4.23 gave, one after the other, and what was asked for them.
actor ScriptedEtcd: Transport {
    enum Reply: Sendable {
        case status(Int, String)
        case failure(PushError.Code)
    }

    private var replies: [Reply]
    private(set) var requests: [(member: String, path: String, token: String?, body: String)] = []

    init(_ replies: [Reply]) { self.replies = replies }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        requests.append(
            (
                request.authority ?? "", request.path ?? "",
                request.headerFields[.authorization], String(decoding: body, as: UTF8.self)
            ))
        switch replies.isEmpty ? .failure(.unreachable) : replies.removeFirst() {
        case .status(let status, let body):
            return (HTTPResponse(status: .init(code: status)), Data(body.utf8))
        case .failure(let code): throw PushError(code, "It was lost.")
        }
    }

    var bodies: [String] { requests.map(\.body) }
    var membersAsked: [String] { requests.map(\.member) }
    /// How many replies nobody asked for.
    var left: Int { replies.count }
}

extension ScriptedEtcd.Reply {
    static let header =
        #""header":{"cluster_id":"7","member_id":"5","revision":"9","raft_term":"2"}"#

    static func put(_ revision: Int, cluster: Int = 7) -> Self {
        .status(
            200,
            #"{"header":{"cluster_id":"\#(cluster)","member_id":"5","revision":"\#(revision)","#
                + #""raft_term":"2"},"succeeded":true,"responses":[{"response_put":{"header":"#
                + #"{"revision":"\#(revision)"}}}]}"#)
    }

    /// A transaction whose condition failed; `nil` for a record that isn't there.
    static func refused(_ entries: [String?]) -> Self {
        let responses = entries.map { entry in
            let found = entry.map { #","kvs":[\#($0)],"count":"1""# } ?? ""
            return #"{"response_range":{"header":{"revision":"9"}\#(found)}}"#
        }
        return .status(200, "{\(header),\"responses\":[\(responses.joined(separator: ","))]}")
    }

    static func found(_ entries: [String], more: Bool = false) -> Self {
        guard !entries.isEmpty else { return .status(200, "{\(header)}") }
        return .status(
            200,
            "{\(header),\"kvs\":[\(entries.joined(separator: ","))]\(more ? ",\"more\":true" : ""),"
                + "\"count\":\"\(entries.count)\"}")
    }

    static func error(_ status: Int, _ code: Int, _ text: String) -> Self {
        .status(status, #"{"error":"\#(text)","message":"\#(text)","code":\#(code)}"#)
    }

    /// A reply that is fine, of nothing.
    static let empty = found([])

    /// The same, by a member that says a revision.
    static func nothing(at revision: UInt64) -> Self {
        .status(
            200, #"{"header":{"cluster_id":"7","member_id":"5","revision":"\#(revision)"}}"#)
    }
}

/// The key of `row/a` of the tenant `t`, in base64: `pa/1/t/`, 0, 3, `row`, `a`.
let rowKey = "cGEvMS90LwADcm93YQ=="

/// The key of its mark: two bytes 0xFF more behind the slash.
let rowMark = "cGEvMS90L///AANyb3dh"

/// A record as etcd's JSON has it.
func entry(
    _ value: [UInt8]?, modified: Int, created: Int = 2, version: Int = 1, key: String = rowKey
) -> String {
    let value = value.map { #","value":"\#(Data(mark + $0).base64EncodedString())""# } ?? ""
    return #"{"key":"\#(key)","create_revision":"\#(created)","mod_revision":"\#(modified)","#
        + #""version":"\#(version)"\#(value)}"#
}

let mark = [UInt8](repeating: 1, count: 8)
let row = RecordKey("row", "a")

extension EtcdStore {
    static func scripted(
        _ etcd: ScriptedEtcd, members: [String] = ["http://127.0.0.1:1"], login: Login? = nil,
        patience: Duration = .seconds(600), random: any RandomSource = RepeatingRandom([1])
    ) throws(PushError) -> EtcdStore {
        try EtcdStore(
            Configuration(members: members, tenant: "t", login: login, patience: patience),
            transport: etcd, random: random, first: 0)
    }
}
