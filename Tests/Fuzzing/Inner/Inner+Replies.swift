import Foundation
import HTTPTypes
public import PushCore

@testable import PushForgeRock
@testable import PushPlusAuth
@testable import PushPrivacyIDEA

extension Inner {
    /// Reads a reply as each vendor's: `200 application/json`, a line's end, and the body.
    ///
    /// - Parameters:
    ///   - bytes: The reply.
    ///   - environment: The world, whose network nothing is sent over.
    /// - Returns: The broken promise.
    public static func vendorReply(
        _ bytes: [UInt8], in environment: PushEnvironment
    ) async -> StaticString? {
        let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        let head = parts[0].split(separator: 0x20, maxSplits: 1).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard parts.count == 2, let code = head.first.flatMap({ Int($0) }),
            (200...599).contains(code)
        else { return nil }
        var response = HTTPResponse(status: .init(code: code))
        if head.count == 2 { response.headerFields[.contentType] = head[1] }
        let reply = Reply(response: response, body: Data(parts[1]))
        if let broken = reply.asAM ?? reply.asPrivacyIDEA { return broken }
        return await reply.asPlusAuth(PlusAuth(in: environment))
    }
}

/// A reply, and what others than the SDK say of it.
private struct Reply: Transport {
    let response: HTTPResponse
    let body: Data

    /// What stands between a vendor and the device.
    private static let page = Data("<html></html>".utf8)

    private var status: Int { response.status.code }
    private var is2xx: Bool { 200..<300 ~= status }
    private var value: Any? {
        try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)
    }
    private var members: [String: Any]? { value as? [String: Any] }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        (response, self.body)
    }

    /// A refusal says the same as of a stranger's page with the same status.
    private func checked(_ error: PushError, _ other: PushError?) -> StaticString? {
        guard is2xx, error.code == .interrupted else {
            return "another success is nobody's word, and only that"
        }
        return error.reason == other?.reason ? nil : "an error holds nothing that the reply said"
    }

    var asAM: StaticString? {
        do throws(PushError) {
            let reply = try AMReply(response, body)
            guard !reply.isSuccess || body.isEmpty || members != nil, !is2xx || status == 200 else {
                return "AM's success is 200, and nothing or an object"
            }
            guard reply.refusal == nil || members?["code"] as? Int == status else {
                return "AM's no names its status"
            }
            return nil
        } catch {
            return checked(
                error, Self.error { () throws(PushError) in try AMReply(response, Self.page) })
        }
    }

    var asPrivacyIDEA: StaticString? {
        do throws(PushError) {
            let reply = try ServerReply(response, body)
            let result = members?["result"] as? [String: Any]
            switch reply.word {
            case .stranger: return is2xx ? "privacyIDEA's success is its own" : nil
            case .value:
                return status == 200 && result?["status"] as? Bool == true
                    && result?["value"] != nil
                    ? nil : "privacyIDEA's success is 200, with its status and a value"
            case .error(let code):
                let told = (result?["error"] as? [String: Any])?["code"] as? Int
                return result?["status"] as? Bool == false && !is2xx && told.map(Int64.init) == code
                    ? nil : "privacyIDEA's no has a number"
            }
        } catch {
            return checked(
                error, Self.error { () throws(PushError) in try ServerReply(response, Self.page) })
        }
    }

    func asPlusAuth(_ provider: PlusAuth) async -> StaticString? {
        guard let endpoint = try? Endpoint("https://plusauth.example.com/push") else {
            return "there is an address"
        }
        let request = PlusAuthRequest(
            endpoint, bearer: Secret("t".utf8), body: Data(), from: provider.channel)
        do throws(PushError) {
            switch try await request.reply(over: self) {
            case .success:
                return [200, 201, 204].contains(status) && (body.isEmpty || value != nil)
                    ? nil : "PlusAuth's success is JSON or nothing"
            case .refusal(let code, let word):
                return code == status && !is2xx && members?["error"] as? String == word.rawValue
                    ? nil : "PlusAuth's no is a word of its own"
            case .stranger: return is2xx ? "no success is a stranger's" : nil
            }
        } catch {
            let page = Reply(response: response, body: Self.page)
            do throws(PushError) {
                _ = try await request.reply(over: page)
                return "a page is no success"
            } catch let other {
                return checked(error, other)
            }
        }
    }

    private static func error<Value>(_ body: () throws(PushError) -> Value) -> PushError? {
        do throws(PushError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }
}
