import Foundation
import PushCore
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// Only one encoding of a body is taken.
struct OOCCommandBodyTests {
    private func isTaken(_ body: [UInt8], _ type: CommandType) -> Bool {
        let header = CommandHeader(
            type, principal: OOC.deviceID, flow: OOC.run(0x50), counter: 1, bodyLength: body.count)
        return body.withUnsafeBytes { (try? CommandBody(parsing: $0, of: header)) != nil }
    }

    private let reply: [(UInt16, [UInt8])] = [(0x0D, [0, 0, 0, 0, 0, 0, 0, 1])]
    private let instance: [(UInt16, [UInt8])] = [
        (0x0D, [0, 0, 0, 0, 0, 0, 0, 1]), (0x23, [UInt8](repeating: 7, count: 32)),
    ]

    private func tlv(_ pairs: [(UInt16, [UInt8])]) -> [UInt8] { pairs.flatMap { OOC.tlv($0) } }

    @Test func `tags ascend, and none comes twice`() {
        #expect(isTaken(tlv(instance), .instanceConfirmed))
        #expect(!isTaken(tlv(instance.reversed()), .instanceConfirmed))
        #expect(!isTaken(tlv([instance[0], instance[0], instance[1]]), .instanceConfirmed))
        #expect(!isTaken(tlv([instance[0], instance[1], instance[1]]), .instanceConfirmed))
    }

    @Test func `nothing is missing, and nothing follows`() {
        let body = tlv(instance)
        for length in 0..<body.count {
            #expect(!isTaken(Array(body.prefix(length)), .instanceConfirmed))
        }
        #expect(!isTaken(body + [0], .instanceConfirmed))
        #expect(!isTaken([], .activationComplete))
    }

    @Test func `an unknown tag is ignored from 8000 on, and refused below`() {
        #expect(isTaken(tlv(reply + [(0x8000, [1, 2])]), .activationComplete))
        #expect(isTaken(tlv(reply + [(0xFFFF, [])]), .activationComplete))
        #expect(!isTaken(tlv(reply + [(0x8002, []), (0x8002, [])]), .activationComplete))
        #expect(!isTaken(tlv(reply + [(0x7FFF, [])]), .activationComplete))
        #expect(!isTaken(tlv([(0x00, [])] + reply), .activationComplete))
    }

    @Test func `a known tag that the type doesn't list is refused, even above 8000`() {
        #expect(
            !isTaken(tlv(reply + [(0x23, [UInt8](repeating: 7, count: 32))]), .activationComplete))
        #expect(!isTaken(tlv(reply + [(0x8001, Array("{}".utf8))]), .activationComplete))
    }

    private static let lengths: [BodyTag: [Int]] = [
        .protocolVersion: [1], .userID: [1, 255], .domain: [1, 255], .clientNonce: [32],
        .serverNonce: [32], .deviceSigningKey: [65], .instanceKeys: [67, 100],
        .deviceID: [16], .inReplyTo: [8], .issuedAt: [8], .notAfter: [8],
        .notificationIdentifier: [1, 2064], .requestID: [1, 64], .sessionID: [1, 128],
        .requestedMethod: [1], .challenge: [32], .displayForm: [1], .displayData: [1, 8192],
        .decision: [1], .methodUsed: [1], .displayDigest: [32], .authResponse: [32],
        .deviceSignature: [64], .sessionState: [1], .remainingAttempts: [1],
        .authToken: [1, 4096], .secondResponse: [32], .newInstanceKey: [32],
        .decidedHere: [1], .returnCode: [4], .readableMessage: [0, 512],
        .customPayload: [0, 1024], .errorType: [1, 32], .flowType: [1],
        .previousCommandType: [1], .commandSessionID: [16], .deviceData: [0, 4096],
    ]

    @Test(arguments: BodyTag.allCases)
    func `a value has a length that its tag allows`(tag: BodyTag) {
        let ends = Self.lengths[tag] ?? []
        #expect(!ends.isEmpty)
        for end in ends { #expect(tag.allows(end)) }
        #expect(!tag.allows((ends.first ?? 0) - 1))
        #expect(!tag.allows((ends.last ?? 0) + 1))
        if tag == .instanceKeys { #expect(!tag.allows(80)) }
    }

    @Test(arguments: [[0xFF], [0x61, 0x00], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82]])
    func `a text is UTF-8 without NUL`(text: [UInt8]) {
        #expect(isTaken(tlv([(0x20, Array("é".utf8))]), .transactionFetch))
        #expect(!isTaken(tlv([(0x20, text)]), .transactionFetch))
        #expect(!isTaken(tlv([(0x20, [])]), .transactionFetch))
    }

    @Test func `a challenge has all its tags while the session is pending, and else none of them`()
    {
        let eight = [UInt8](repeating: 0, count: 8)
        let full: [(UInt16, [UInt8])] = [
            (0x0D, eight), (0x0E, eight), (0x0F, eight), (0x20, [0x61]), (0x21, [0x61]),
            (0x22, [1]), (0x23, [UInt8](repeating: 7, count: 32)), (0x24, [2]), (0x25, [0x61]),
            (0x2B, [1]),
        ]
        #expect(isTaken(tlv(full), .transactionChallenge))
        for index in full.indices {
            var missing = full
            missing.remove(at: index)
            #expect(!isTaken(tlv(missing), .transactionChallenge))
        }
        var empty = full
        empty[7] = (0x24, [0])
        #expect(!isTaken(tlv(empty), .transactionChallenge))
        empty.remove(at: 8)
        #expect(isTaken(tlv(empty), .transactionChallenge))
        #expect(isTaken(tlv([full[0], full[3], (0x2B, [2])]), .transactionChallenge))
        var over = full
        over[9] = (0x2B, [2])
        #expect(!isTaken(tlv(over), .transactionChallenge))
    }

    @Test(
        arguments: [
            (0, [], true), (0, [0x61], false), (3, [0x61], false),
            (2, [0x61], true), (2, [UInt8](repeating: 0x61, count: 4096), true),
            (2, [UInt8](repeating: 0x61, count: 4097), false), (2, [0xFF], false),
            (1, [1, 0, 1, 0x61, 0, 0], true), (1, [1, 0, 0, 0, 1, 0x61], false),
            (1, [1, 0, 1, 0x61, 0, 0, 0], false), (1, [2, 0, 1, 0x61, 0, 0], false),
            (1, [0], false), (1, [17] + [UInt8](repeating: 0, count: 68), false),
            (1, [1, 0, 1, 0x61, 0, 2, 0x61], false), (1, [1, 0, 1, 0xFF, 0, 0], false),
            (1, [1, 0, 1], false), (1, [1, 0], false),
            (1, [1, 0, 1, 0x61, 1, 0] + [UInt8](repeating: 0x61, count: 256), true),
            (1, [1, 0, 1, 0x61, 1, 1] + [UInt8](repeating: 0x61, count: 257), false),
            (1, [1, 0, 65] + [UInt8](repeating: 0x61, count: 65) + [0, 0], false),
        ] as [(UInt8, [UInt8], Bool)])
    func `what to display is read whole, or has a problem`(
        form: UInt8, data: [UInt8], isWhole: Bool
    ) {
        #expect((ReceivedDisplay(form, data).problem == nil) == isWhole)
    }

    @Test(
        arguments: [
            (1, [2, 0, 1, 0x61, 0, 1, 0x62, 0, 1], .unreadable, [.init("a", "b")]),
            (
                1, [2, 0, 1, 0x61, 0, 1, 0xFF, 0, 1, 0x63, 0, 0], .unreadable,
                [.init("a", "\u{FFFD}"), .init("c", "")]
            ),
            (1, [1, 0, 0, 0, 1, 0x61], .unlabeled, [.init("", "a")]),
            (1, [1, 0, 1, 0x61, 0, 0, 0], .unreadable, [.init("a", "")]),
            (2, [0x61, 0xFF], .unreadable, [.init("text", "a\u{FFFD}")]),
            (3, [0x61], .unknownForm, []),
            (1, [0], .unreadable, []),
        ] as [(UInt8, [UInt8], DisplayProblem, [DisplayContent.Field])])
    func `what of it can be read is there all the same`(
        form: UInt8, data: [UInt8], problem: DisplayProblem, fields: [DisplayContent.Field]
    ) {
        let display = ReceivedDisplay(form, data)
        #expect(display.problem == problem)
        switch display.content {
        case .none: #expect(fields.isEmpty)
        case .text(let text): #expect(fields == [.init("text", text)])
        case .fields(let found): #expect(fields == found)
        }
        #expect(display.digest == sha256([form], data))
    }
}
