import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SimulatedRun {
    /// What a server says.
    typealias Reply = (response: HTTPResponse, body: Data)

    /// How a request came.
    enum Copy {
        case first
        /// The network delivered it twice.
        case duplicate
        /// It came after its sender had given up.
        case late
        /// The network brought it again, some time after the first.
        case echo
    }

    /// A request on its way.
    struct Exchange {
        let request: HTTPRequest
        let body: Data
        /// The device's number for this sending, whichever copies arrive of it.
        let number: UInt64

        var path: String { request.path ?? "" }
    }

    /// What the trace says of a request beyond its path.
    func describe(_ exchange: Exchange) -> String {
        guard challenge(answeredBy: exchange) != nil else { return "" }
        return " " + String(decoding: exchange.body, as: UTF8.self)
    }
}
