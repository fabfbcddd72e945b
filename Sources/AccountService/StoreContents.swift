package import SecretMemory

/// The store's files as they were read, for the service to judge.
package struct StoreContents: Sendable {
    /// One file.
    package enum File: Sendable, Equatable {
        case absent
        case bytes([UInt8])
        /// It is there and could not be read; a sentence that names it and the errno.
        case unreadable(String)
    }

    /// `account.plist.sealed`.
    package var account: File
    /// `account.plist.sealed~`.
    package var previousAccount: File
    /// `keyslots.plist`.
    package var slots: File
    /// `keyslots.plist~`.
    package var slotsCopy: File
    /// `keyslots.plist.next`.
    package var nextSlots = File.absent
    /// Whether archives or an app key are there, which the same key seals.
    package var hasOtherSealedFiles: Bool
    /// What whoever read the files found wrong with the files themselves, modes and owners.
    package var findings: [String]
    /// Whether another directory has come into the place of the one that was read before, so that
    /// what is held of that one is no longer what is stored.
    package var isReplaced = false

    /// Makes a store's contents; by default an empty store's.
    package init(
        account: File = .absent, previousAccount: File = .absent, slots: File = .absent,
        slotsCopy: File = .absent, hasOtherSealedFiles: Bool = false, findings: [String] = []
    ) {
        self.account = account
        self.previousAccount = previousAccount
        self.slots = slots
        self.slotsCopy = slotsCopy
        self.hasOtherSealedFiles = hasOtherSealedFiles
        self.findings = findings
    }

    var hasSealedFiles: Bool {
        account != .absent || previousAccount != .absent || hasOtherSealedFiles
    }
}

/// Room for the key file, or for the credential, which whoever reads the store's files fills.
///
/// The arena belongs to the loop's thread: the loop makes the room and drops it, and between the two
/// leaves it alone while the worker fills it. The queue between the threads orders one after the
/// other.
package final class KeyFileReading: @unchecked Sendable {
    /// Bytes of a key file. docs/FORMAT.md, "Key slots"
    package static let size = 32

    /// What was found.
    package enum Finding: Sendable, Equatable {
        case absent
        /// Its 32 bytes stand in the room.
        case read
        /// It is there and cannot be used: the errno, and a sentence that names it and says why.
        case unusable(errno: Int32, String)
    }

    private var room: SecretBytes
    /// What was found; absent until it is filled.
    package private(set) var finding = Finding.absent

    /// Makes room.
    package init(arena: SecretArena) throws(SecretMemoryError) {
        room = try arena.allocate(Self.size)
    }

    /// Lets `body` write the 32 bytes and say what it found.
    package func fill(_ body: (inout MutableSpan<UInt8>) -> Finding) {
        finding = room.withMutableBytes(body)
    }

    /// Lends the bytes; they are the key file's only when the finding is `read`.
    package func withBytes<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try room.withBytes(body)
    }
}
