import Crypto
import Foundation
import PushOneSpan
import PushTesting

/// The server's half of OOC/1 towards the device of the vectors, as far as these tests need it.
struct OOCServer {
    let toServer: [UInt8]
    let toDevice: [UInt8]
    let deviceID = OOC.deviceID
    private let key: P256.KeyAgreement.PrivateKey

    init(_ vectors: Vectors) throws {
        toServer = try vectors("k_d2s")
        toDevice = try vectors("k_s2d")
        key = try P256.KeyAgreement.PrivateKey(rawRepresentation: vectors("S.priv"))
    }

    /// A sealed command to the device.
    func seal(
        _ type: UInt8, flow: [UInt8], body: [UInt8], counter: UInt64 = 1,
        to principal: [UInt8]? = nil
    ) throws -> OrchestrationCommand {
        let head =
            Array("OOC1".utf8) + [1, type, 1, 1] + (principal ?? deviceID) + flow
            + OOC.integer(counter)
            + OOC.integer(UInt32(body.count))
        let box = try AES.GCM.seal(
            body, using: expanded(toDevice, head),
            nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)),
            authenticating: head)
        return try OrchestrationCommand(OOC.hex(head + box.ciphertext + box.tag))
    }

    /// A command of the device, opened: its flow, its counter, and its body.
    func open(_ command: OrchestrationCommand) throws -> (
        flow: [UInt8], counter: UInt64, body: [UInt8]
    ) {
        let bytes = OOC.bytes(command.hex)
        let head = Array(bytes[0..<52])
        let hasKey = head[6] & 2 != 0
        let clear = hasKey ? Array(bytes[52..<117]) : []
        var sealing = expanded(toServer, head)
        if hasKey {
            let shared = try key.sharedSecretFromKeyAgreement(
                with: P256.KeyAgreement.PublicKey(x963Representation: clear))
            sealing = shared.hkdfDerivedSymmetricKey(
                using: SHA256.self, salt: toServer, sharedInfo: Array("OOC1 msg".utf8) + head,
                outputByteCount: 32)
        }
        let rest = bytes.dropFirst(52 + clear.count)
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)),
            ciphertext: rest.dropLast(16), tag: rest.suffix(16))
        let body = try AES.GCM.open(box, using: sealing, authenticating: head + clear)
        let counter = head[40..<48].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (Array(head[24..<40]), counter, Array(body))
    }

    private func expanded(_ key: [UInt8], _ head: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.expand(
            pseudoRandomKey: key, info: Array("OOC1 msg".utf8) + head, outputByteCount: 32)
    }

    /// A sealed refusal of a command.
    func refuse(
        _ command: OrchestrationCommand, _ code: Int32, payload: String? = nil
    ) throws -> OrchestrationCommand {
        let (flow, counter, _) = try open(command)
        let type = OOC.bytes(command.hex)[5]
        let head = OOC.tlv((0x0D, OOC.integer(counter)), (0x70, OOC.integer(code)), (0x71, []))
        let middle = payload.map { OOC.tlv((0x72, Array($0.utf8))) } ?? []
        let tail = OOC.tlv(
            (0x73, Array("GENERIC".utf8)), (0x74, [0]), (0x75, [type]), (0x76, flow))
        return try seal(0x7F, flow: flow, body: head + middle + tail)
    }

    /// A pushed trigger.
    func trigger(
        _ type: UInt8 = 0x30, request: String = OOC.requestID, flow: [UInt8] = OOC.run(0x40)
    ) throws -> OrchestrationCommand {
        try seal(
            type, flow: flow,
            body: OOC.tlv((0x0E, times.0), (0x0F, times.1), (0x20, Array(request.utf8))))
    }

    private var times: ([UInt8], [UInt8]) {
        (OOC.integer(UInt64(1_767_225_600_000)), OOC.integer(UInt64(1_767_225_660_000)))
    }

    /// The challenge that answers a fetch; a text to display, or data in another form.
    func challenge(
        for fetch: OrchestrationCommand, method: UInt8 = 1, text: String = "Pay?",
        display: (form: UInt8, data: [UInt8])? = nil, request: String = OOC.requestID
    ) throws -> OrchestrationCommand {
        let (flow, counter, _) = try open(fetch)
        let display = display ?? (2, Array(text.utf8))
        let head = OOC.tlv(
            (0x0D, OOC.integer(counter)), (0x0E, times.0), (0x0F, times.1),
            (0x20, Array(request.utf8)), (0x21, Array("session-0001".utf8)), (0x22, [method]),
            (0x23, OOC.sha("session challenge")), (0x24, [display.form]))
        let data = display.form == 0 ? [] : OOC.tlv((0x25, display.data))
        let type = OOC.bytes(fetch.hex)[5] + 1
        return try seal(type, flow: flow, body: head + data + OOC.tlv((0x2B, [1])))
    }

    /// The state of a session that is over, in answer to a fetch.
    func over(_ fetch: OrchestrationCommand, _ state: UInt8) throws -> OrchestrationCommand {
        let (flow, counter, _) = try open(fetch)
        return try seal(
            OOC.bytes(fetch.hex)[5] + 1, flow: flow,
            body: OOC.tlv(
                (0x0D, OOC.integer(counter)), (0x20, Array(OOC.requestID.utf8)), (0x2B, [state])))
    }

    /// The result of an answer.
    func result(
        of answer: OrchestrationCommand, _ state: UInt8, here: UInt8 = 1, attempts: UInt8? = nil,
        token: String? = nil
    ) throws -> OrchestrationCommand {
        let (flow, counter, _) = try open(answer)
        let head = OOC.tlv(
            (0x0D, OOC.integer(counter)), (0x20, Array(OOC.requestID.utf8)), (0x2B, [state]))
        let left = attempts.map { OOC.tlv((0x2C, [$0])) } ?? []
        let session = token.map { OOC.tlv((0x2D, Array($0.utf8))) } ?? []
        return try seal(
            OOC.bytes(answer.hex)[5] + 1, flow: flow,
            body: head + left + session + OOC.tlv((0x30, [here])))
    }

    /// The plain acknowledgement of a command, with the attempts left if it was refused.
    func acknowledge(
        _ command: OrchestrationCommand, attempts: UInt8? = nil
    ) throws -> OrchestrationCommand {
        let (flow, counter, _) = try open(command)
        let left = attempts.map { OOC.tlv((0x2C, [$0])) } ?? []
        return try seal(
            OOC.bytes(command.hex)[5] + 1, flow: flow,
            body: OOC.tlv((0x0D, OOC.integer(counter))) + left)
    }
}
