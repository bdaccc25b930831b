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
            guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
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
        var count: Int32 = 0
        curl_multi_perform(multi, &count)
        while let message = curl_multi_info_read(multi, &count) {
            // The message's memory is libcurl's, and ends with the handle's removal.
            let easy = message.pointee.easy_handle
            let code = message.pointee.data.result
            guard message.pointee.msg == CURLMSG_DONE, let easy, let entry = transfers[easy]
            else { continue }
            let outcome = entry.transfer.outcome(code)
            remove(easy)
            complete(entry.ticket, outcome)
        }
    }

    /// Sleeps until a socket is ready, a time-out of libcurl's is due, or someone wakes it.
    func wait() {
        var count: Int32 = 0
        curl_multi_poll(multi, nil, 0, .max, &count)
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
        curl_multi_remove_handle(multi, easy)
        transfers[easy] = nil
    }
}
#endif
