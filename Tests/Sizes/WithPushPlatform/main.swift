import Receiving

try await receive { _ in [] }
