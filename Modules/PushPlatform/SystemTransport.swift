// Inner modules are re-exported, as they are no products, and an
// app couldn't name the members of what it may not import.
@_exported public import PushTransportRules

#if os(Linux)

/// The transport that suits the system: libcurl on Linux, `URLSessionTransport` on Apple's.
///
/// Both take a `Configuration` with `plainHTTP`, `pins`, `timeout` and `maximumBodySize`, so that
/// code which sets nothing else compiles on either.
public typealias SystemTransport = CurlTransport

#else

@_exported public import PushURLSession

/// The transport that suits the system: `CurlTransport` on Linux, URLSession on Apple's.
///
/// Both take a `Configuration` with `plainHTTP`, `pins`, `timeout` and `maximumBodySize`, so that
/// code which sets nothing else compiles on either.
public typealias SystemTransport = URLSessionTransport

#endif
