import PushOneSpan
import Receiving

// What stands in for the vendor's own engine is another product's, so no provider can be made here.
try await receive { _ in
    print(OneSpan.self)
    return []
}
