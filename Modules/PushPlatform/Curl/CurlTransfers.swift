#if os(Linux)
import CPushCurl
import PushCore

/// The exchanges of one multi handle; it lives on the event thread.
struct CurlTransfers {
    typealias Complete = (CurlTicket, CurlEventLoop.Reply) -> Void

    private let multi: UnsafeMutableRawPointer
    private var transfers: [UnsafeMutableRawPointer: (ticket: CurlTicket, transfer: CurlTransfer)]

    init(_ multi: UnsafeMutableRawPointer) {
        self.multi = multi
        transfers = [:]
    }

    /// Hands an exchange to libcurl.
    mutating func start(_ ticket: CurlTicket, _ complete: Complete) {
        do throws(PushError) {
            let transfer = try CurlTransfer(ticket.request)
            guard push_curl_multi_add(multi, transfer.easy) else {
                throw PushError(.unreachable, "libcurl took no further transfer.")
            }
            transfers[transfer.easy] = (ticket, transfer)
        } catch {
            complete(ticket, .failure(error))
        }
    }

    /// Aborts an exchange, unless it is already over.
    mutating func cancel(_ ticket: CurlTicket, _ complete: Complete) {
        guard let (easy, entry) = transfers.first(where: { $0.value.ticket === ticket }) else {
            return
        }
        let error = entry.transfer.cancellation
        remove(easy)
        complete(ticket, .failure(error))
    }

    /// Does what can be done without waiting, and completes what is over.
    mutating func advance(_ complete: Complete) {
        push_curl_multi_perform(multi)
        var code = PUSH_CURLE_OK
        while let easy = push_curl_multi_ended(multi, &code) {
            guard let entry = transfers[easy] else { continue }
            let outcome = entry.transfer.outcome(code)
            remove(easy)
            complete(entry.ticket, outcome)
        }
    }

    /// Sleeps until a socket is ready, a time-out of libcurl's is due, or someone wakes it.
    func wait() {
        push_curl_multi_wait(multi)
    }

    /// Fails what is left.
    mutating func shutDown(_ complete: Complete) {
        for (easy, entry) in transfers {
            let error = entry.transfer.shutdown
            remove(easy)
            complete(entry.ticket, .failure(error))
        }
    }

    private mutating func remove(_ easy: UnsafeMutableRawPointer) {
        push_curl_multi_remove(multi, easy)
        transfers[easy] = nil
    }
}
#endif
