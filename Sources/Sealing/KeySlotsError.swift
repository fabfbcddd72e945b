/// Why the key slots could not be read, opened or changed.
package enum KeySlotsError: Error, Equatable, Sendable {
    /// The file, or what it holds, is not as it was written; the text, one of a fixed set, says
    /// where that was seen. Told apart from a wrong secret by the checksum, before anyone is asked.
    case damaged(String)
    /// No slot of the secret's kind opens with it.
    case wrongSecret
    /// There is no slot of that id, or none of the secret's kind.
    case noSuchSlot
    /// The only slot cannot be removed: nothing would open any more.
    case lastSlot
    /// There are as many slots as there may be.
    case tooManySlots
    /// There are as many retired master keys as there may be: files must be sealed anew first.
    case tooManyRetiredKeys
    /// A later version of the format, a master key that is not the one asked for, or no memory.
    case sealing(SealingError)
}
