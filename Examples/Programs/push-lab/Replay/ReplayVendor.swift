import HTTPTypes
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A vendor's simulator and provider, for playing a capture: both have keys of their own.
struct ReplayVendor: Sendable {
    let simulator: any VendorSimulator

    /// What answers in the simulator's place, should something stand before it.
    var respond: (@Sendable (HTTPRequest, Data) async -> (response: HTTPResponse, body: Data))?

    let plugin: @Sendable (PushEnvironment) async throws -> any PushProvider

    /// Starts a login whose message has the fault.
    ///
    /// It throws `ReplayFailure` if the simulator can't make such a message.
    let start:
        @Sendable (_ user: String, SimulatedLogin.Kind, ReplayFault?) async throws ->
            SimulatedLogin

    /// Does what a back office would do once a device was enrolled.
    var settle: @Sendable (_ user: String) async throws -> Void = { _ in }

    /// Lets a login run out at the server, while the device doesn't know of it.
    let expire: @Sendable (SimulatedLogin.ID) async throws -> Void

    /// Where its server is.
    static let origin = "https://replay.example"
}

extension ReplayFault {
    /// The same as a fault of a simulator; `nil` where it can't make it.
    ///
    /// - Parameters:
    ///   - wrong: What signs or seals with a key that nobody has.
    ///   - unsigned: What has no signature.
    ///   - missing: What lacks a member; `nil` where nothing can.
    ///   - whole: The members that a genuine message has, of those that can be taken away.
    ///   - expired: What is over.
    /// - Returns: The fault.
    /// - Throws: `ReplayFailure` if there is none.
    func made<Fault>(
        wrong: Fault, unsigned: Fault? = nil, missing: ((String) -> Fault)? = nil,
        of whole: [String] = [], expired: ((Duration) -> Fault)? = nil
    ) throws(ReplayFailure) -> Fault {
        switch self {
        case .wrongSignature, .wrongKey: return wrong
        case .unsigned: if let unsigned { return unsigned }
        case .expired(let ago): if let expired { return expired(ago) }
        case .lacking(let members):
            let absent = whole.filter { !members.contains($0) }
            if absent.count == 1, let missing { return missing(absent[0]) }
            throw ReplayFailure(
                absent.isEmpty
                    ? "it was malformed in another way than by a member that is missing"
                    : "it lacked \(absent.joined(separator: ", "))")
        case .another(let code): throw ReplayFailure("it was refused with \(code)")
        }
        throw ReplayFailure("this vendor's simulator makes no such message")
    }
}

/// A network to a simulator, on which exchanges go wrong as they did in a capture.
actor ReplayTransport: Transport {
    private let vendor: ReplayVendor
    private var troubles: [ReplayTrouble?] = []

    init(to vendor: ReplayVendor) { self.vendor = vendor }

    /// How the next exchanges go wrong.
    func plan(_ troubles: [ReplayTrouble?]) { self.troubles = troubles }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let trouble = troubles.isEmpty ? nil : troubles.removeFirst()
        switch trouble {
        case .failure("interrupted"):
            throw PushError(.interrupted, "The reply was lost, as in the capture.")
        case .failure:
            throw PushError(.unreachable, "The server couldn't be reached, as in the capture.")
        case .status(let status, let wait):
            var fields = HTTPFields()
            fields[.retryAfter] = wait
            return (HTTPResponse(status: .init(code: status), headerFields: fields), Data())
        case nil: break
        }
        guard let respond = vendor.respond else {
            return await vendor.simulator.respond(to: request, body: body)
        }
        return await respond(request, body)
    }
}
