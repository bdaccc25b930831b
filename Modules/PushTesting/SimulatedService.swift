public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A simulator whose set-up a test changes, whose faults it chooses, and whose traffic it reads.
///
/// The simulators of this package are such actors, so that what drives one drives them all.
public protocol SimulatedService: VendorSimulator, Actor {
    /// How a service is set up.
    associatedtype Configuration: Sendable

    /// How it is set up now.
    var configuration: Configuration { get }

    /// Where it is reached: scheme, host and port.
    var origin: String { get }

    /// The latest exchanges, oldest first.
    var exchanges: [RecordedExchange] { get }

    /// Changes the configuration between two requests.
    func configure(_ change: @Sendable (inout Configuration) -> Void)

    /// Replies with a status, without looking at the request; the next request first.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - times: How many requests get it.
    func force(status: Int, times: Int)
}

/// One HTTP exchange as the server saw it: header fields and bodies as they came and went.
///
/// It may hold keys, device tokens, PINs and signed answers, so it is for tests and demonstrations.
public struct RecordedExchange: Sendable {
    /// The request.
    public let request: HTTPRequest

    /// The request's body.
    public let body: Data

    /// The reply.
    public let response: HTTPResponse

    /// The reply's body.
    public let responseBody: Data

    /// Creates a record.
    public init(
        request: HTTPRequest, body: Data, response: HTTPResponse, responseBody: Data
    ) {
        self.request = request
        self.body = body
        self.response = response
        self.responseBody = responseBody
    }

    /// The status of the reply.
    public var status: Int { response.status.code }
}
