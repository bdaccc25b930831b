extension ForgeRockSimulator {
    /// Releases of AM whose wire differs.
    @nonexhaustive
    public enum Generation: Hashable, Comparable, Sendable, CaseIterable {
        /// AM 6.0 to 7.1: a push says who, what challenge and how long, and asks for a yes or no.
        case a
        /// AM 7.2 to 8.0.0: pushes have a type, a text, a time, numbers, a custom payload and a
        /// context. See ``Configuration/isAM72`` for what came only with 7.3.
        case b
        /// AM 8.0.1 and 8.0.2: adds the user name, resource identifiers and the device token
        /// refresh.
        case c
        /// AM 8.1 and later: a wrong number is refused on the HTTP call itself.
        ///
        /// UNCONFIRMED beyond that one statement: the server's source isn't public.
        case d
    }
}
