import Foundation
import PushCore

@testable import PushPowerAuth

extension Inner {
    /// Reads a reply, and the operations, messages and refusals in it.
    public static func powerAuthReply(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let input = Data(bytes)
        for status in [200, 400, 401] {
            let reply: HTTPReply
            do throws(PushError) {
                reply = try HTTPReply(status: status, body: input)
            } catch {
                guard status == 200, error.code == .interrupted || error.code == .oversizedReply
                else { return "a success that can't be read may have been one" }
                continue
            }
            guard reply.isSuccess == (status == 200 && reply.object["status"] == "OK") else {
                return "only a success is one"
            }
            // Spelled out: a JSON value may be written `nil`, too.
            let expected: JSON? =
                reply.isSuccess ? .some(reply.responseObject ?? .null) : .none
            guard (try? reply.value) == expected else { return "only a success has a value" }
            if let refusal = reply.refusal {
                guard refusal.status == status, !reply.isSuccess, !reply.isEnvelope,
                    reply.error.code == .server(status: status)
                else { return "a refusal is documented for its status" }
            } else if status != 200 {
                guard !reply.isServers, reply.error.underlying == nil else {
                    return "what isn't in the server's form is a stranger's"
                }
            }
        }
        guard let json = try? JSON(parsing: input) else { return nil }
        let object = json["responseObject"] ?? json
        for item in object.array ?? [object] {
            if let broken = checkedOperation(item) ?? checkedMessage(item) { return broken }
        }
        return nil
    }

    private static func checkedOperation(_ json: JSON) -> StaticString? {
        let operation: PowerAuthOperation
        do throws(PushError) {
            operation = try PowerAuthOperation(json)
        } catch {
            return error.code == .malformed ? nil : "what isn't an operation is malformed"
        }
        guard isShowable(operation.fields) else { return "what is shown is short and visible" }
        let request = Activations.authorization(of: operation, nil).data
        let sent = try? JSONSerialization.jsonObject(with: request) as? [String: Any]
        let members = sent?["requestObject"] as? [String: Any]
        guard let data = members?["data"] as? String, let id = members?["id"] as? String,
            let came = json["data"]?.string, data.utf8.elementsEqual(came.utf8),
            id.utf8.elementsEqual(operation.id.utf8)
        else { return "what is approved is what came" }
        for hasBiometry in [false, true] {
            guard case .approve = operation.prompt(hasBiometry: hasBiometry) else { continue }
            guard operation.status == .pending, !operation.ui.hasUnknownScreen,
                operation.allowedSignatureType.type != .ecdsa,
                operation.ui.screens.allSatisfy(\.isWhole),
                operation.formData.attributes.allSatisfy({ $0.defect == nil }),
                operation.fields.count <= 64
            else { return "what can't be honoured or shown is only rejected" }
        }
        return checked(operation.operationExpires)
    }

    private static func checkedMessage(_ json: JSON) -> StaticString? {
        do throws(PushError) {
            let message = try PowerAuthInboxMessage(detail: json)
            return checked(message.timestampCreated)
        } catch {
            return error.code == .malformed ? nil : "what isn't a message is malformed"
        }
    }

    private static func checked(_ date: Date) -> StaticString? {
        let text = ServerDate.utc(date)
        // Years before 0 and after 9999 aren't written; an offset can lead there.
        let bounds = -62_167_219_200.0..<253_402_300_800
        guard bounds.contains(date.timeIntervalSince1970) else { return nil }
        guard let again = ServerDate.date(text),
            again.timeIntervalSince1970 == date.timeIntervalSince1970.rounded(.down)
        else { return "a date is read again as it is written" }
        return nil
    }
}
