import Foundation
import PushAuthFuzzing
import PushCore

@testable import PushAuthCommand

/// Feeds the reader of `messages:send`: what it takes is read the same when its data is sent alone,
/// none of it is a name that the reference doesn't have, and a refusal says little of what came.
@main
enum FuzzFCMMessage {
    static func main() {
        fuzz { bytes in
            let body = Data(bytes)
            do throws(FCMRefusal) {
                check(try FCMMessage(body), body)
            } catch {
                let reply = error.reply.response
                expect(
                    reply.response.status == .badRequest,
                    "what can't be read is the request's fault")
                expect(reply.body.count < 4096, "a refusal says little of what came")
            }
        }
    }

    private static func check(_ message: FCMMessage, _ body: Data) {
        guard let root = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any],
            let told = root["message"] as? [String: Any]
        else { return expect(false, "others read an object with a message") }
        let android = (told["android"] ?? told["android_v2"] ?? told["androidV2"]) as? [String: Any]
        let data = android?["data"] as? [String: String] ?? told["data"] as? [String: String] ?? [:]
        expect(message.data == data, "the app gets the data that others read")
        let size = message.data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        expect(size <= message.target.maximumSize, "no message is larger than Google takes")
        expect(
            (0...2_419_200).contains(message.lifetime), "none is wanted for more than four weeks")
        if case .token(let token) = message.target {
            expect(told["token"] as? String == token, "the token is the one that was sent")
        }
        let push = PushMessage(fcm: message.data)
        expect(push.content.object?.members.count == message.data.count, "a push has all of it")
        let members = message.data.map { ($0.key, JSON.string($0.value)) }
        let alone = JSON.object([
            "message": ["topic": "t", "data": .object(JSON.Object(members))]
        ])
        guard size <= 2048 else { return }
        expect((try? FCMMessage(alone.data))?.data == data, "the data alone is read the same")
    }
}
