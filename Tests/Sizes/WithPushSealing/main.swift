import PushSealing
import Receiving

// An app of a fleet has this before its store on a server; opening it needs one.
try await receive { _ in
    print(SealedStore.self)
    return []
}
