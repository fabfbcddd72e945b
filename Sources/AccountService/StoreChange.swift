package import Sealing
package import SecretMemory

/// What the service wants done to the store's files.
///
/// The daemon's worker does it, durably, and the service goes on with the result.
package enum StoreChange: Sendable {
    /// Write an account, and before it what it needs.
    case save(SaveRequest)
    /// Remove the account's files, the previous generations first.
    case remove
    /// Read everything, what opens the store by itself into the room given.
    case read(StoreKeys)
    /// Write key slots.
    case saveSlots(SlotsRequest)
    /// Forget earlier master keys that nothing is sealed by.
    case dropRetiredKeys(RetiredKeysRequest)
    /// Remove the key file, which opens nothing any more.
    case removeKeyFile
    /// Make the seed of a passphrase; no file is touched.
    case derive(PassphraseDerivation)
    /// Put good bytes in the place of damaged files, which are kept under another name, and remove
    /// what a change that was cut off has left.
    case mend([Mending])
}

/// The parts of a save, in the order in which they are written.
package struct SaveRequest: Sendable {
    /// A new key file, 32 bytes, which must not be there yet.
    package var keyFile: SecretLoan?
    /// Keep slots that cannot be used as `keyslots.plist.damaged-TIME`: the time in seconds.
    package var setsSlotsAsideAt: Int64?
    /// New key slots; the copy is written before them, so that it is never older.
    package var slots: [UInt8]?
    /// New key slots for a store that is begun anew.
    ///
    /// They wait in `keyslots.plist.next` until the account is written, and then take the place of
    /// those that stand there, which are kept aside. So the one rename of the account decides which of the two stores there is.
    package var nextSlots: [UInt8]?
    /// The key slots that must stand there, else the account could not be opened again: they are
    /// written where there are none, and nothing is where there are others.
    package var expectedSlots: [UInt8]?
    /// The sealed account.
    package var account: [UInt8]
    /// The file that it replaces, which stays as the previous generation; nil: none stays.
    ///
    /// Where another one stands there now, that is set aside, and the previous generation stays the
    /// one that it is.
    package var previous: [UInt8]?
    /// The time in seconds since 1970, for the names of what is set aside.
    package var time: Int64

    /// Makes a request that writes an account alone.
    package init(account: [UInt8], previous: [UInt8]?, time: Int64) {
        self.account = account
        self.previous = previous
        self.time = time
    }
}

/// One file and what shall stand in its place.
package struct Mending: Sendable, Equatable {
    /// A file of the store.
    package enum Place: Sendable, Equatable {
        case account, previousAccount, slots, slotsCopy, nextSlots
    }

    /// Which file.
    package let place: Place
    /// What it shall hold; nil: it is removed.
    ///
    /// Where it holds that already nothing is done.
    package let bytes: [UInt8]?
    /// Keep what is there now as `NAME.damaged-TIME`: the time in seconds.
    package let setsAsideAt: Int64?

    /// Makes a mending.
    package init(place: Place, bytes: [UInt8]?, setsAsideAt: Int64?) {
        self.place = place
        self.bytes = bytes
        self.setsAsideAt = setsAsideAt
    }

    /// The last steps of a store that was begun anew, once its account stands: an account before it
    /// is no previous generation of it, and the slots that opened that one make room.
    ///
    /// `keyslots.plist.next` goes last, so that whoever is cut off before finds all of this to do
    /// again. `time`: in seconds, for the names of what is set aside.
    package static func adopting(_ slots: [UInt8], at time: Int64) -> [Mending] {
        [
            Mending(place: .previousAccount, bytes: nil, setsAsideAt: nil),
            Mending(place: .slotsCopy, bytes: slots, setsAsideAt: time),
            Mending(place: .slots, bytes: slots, setsAsideAt: time),
            Mending(place: .nextSlots, bytes: nil, setsAsideAt: nil),
        ]
    }
}

/// How a change went.
package enum StoreResult: Sendable {
    /// It is done, and would survive a power cut.
    case done
    /// It failed.
    case failed(StoreFailure)
    /// What a `read` found.
    case contents(StoreContents)
    /// Files are sealed by some of the retired keys; nothing was written.
    case borne(BorneKeys)
}

/// Which of the retired keys files are sealed by, or may be.
package struct BorneKeys: Equatable, Sendable {
    /// Their ids.
    package let ids: [MasterKeyID]
    /// Whether the account's previous generation is among those files.
    package let bySpare: Bool

    /// Names keys.
    package init(_ ids: [MasterKeyID], bySpare: Bool = false) {
        self.ids = ids
        self.bySpare = bySpare
    }
}

/// Why a change failed.
package struct StoreFailure: Error, Sendable, Equatable {
    /// The errno of the system call that failed.
    package let errno: Int32
    /// A sentence that names the file and the step.
    package let message: String
    /// Whether the change stands in the directory all the same, and only its durability is in
    /// doubt: a power cut may bring back what was there before.
    package let isInPlace: Bool

    /// Makes a failure.
    package init(errno: Int32, message: String, isInPlace: Bool) {
        self.errno = errno
        self.message = message
        self.isInPlace = isInPlace
    }
}

/// Secret bytes that the worker thread may read while the loop waits for it.
///
/// The arena belongs to the loop's thread. The loop makes the loan and drops it; between the two it
/// leaves the bytes alone, and the worker only reads them. The queue between the threads orders one
/// after the other.
package final class SecretLoan: @unchecked Sendable {
    private let bytes: SecretBytes

    /// Lends bytes.
    package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

    /// Lends the bytes for one call.
    package func withBytes<R, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try bytes.withBytes(body)
    }
}
