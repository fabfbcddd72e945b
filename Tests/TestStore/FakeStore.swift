package import AccountService
import SecretMemory

/// A store's files in memory, written in the order in which the worker writes them.
package struct FakeStore: Sendable {
    /// The key file.
    package enum Key: Equatable {
        case absent
        case bytes([UInt8])
        case unusable(Int32, String)
    }

    /// Before which step of a change the disk gives up.
    package enum Step: Equatable, CaseIterable {
        case keyFile, slotsAside, slotsCopy, slots, account, accountSync, previousRemoval
        case removal, removalSync, mending, reading
    }

    package static let diskIsFull = StoreFailure(
        errno: 28, message: "/s: No space left on device", isInPlace: false)

    package static let slotsDiffer = StoreFailure(
        errno: 116, message: "/s/keyslots.plist is another one", isInPlace: false)

    package var account = StoreContents.File.absent
    package var previousAccount = StoreContents.File.absent
    package var slots = StoreContents.File.absent
    package var slotsCopy = StoreContents.File.absent
    package var key = Key.absent
    package var hasOtherSealedFiles = false
    package var findings: [String] = []
    /// Another directory has come into the place of the one that was read.
    package var isReplaced = false
    /// What was set aside, as NAME.damaged-TIME.
    package var aside: [String: StoreContents.File] = [:]
    package var failsAt: Step?

    package init() {}

    /// What a daemon that starts now reads.
    package var contents: StoreContents {
        var contents = StoreContents(
            account: account, previousAccount: previousAccount, slots: slots, slotsCopy: slotsCopy,
            hasOtherSealedFiles: hasOtherSealedFiles, findings: findings)
        contents.isReplaced = isReplaced
        return contents
    }

    package func read(into reading: KeyFileReading) {
        reading.fill { room in
            switch key {
            case .absent: return .absent
            case .unusable(let errno, let why): return .unusable(errno: errno, why)
            case .bytes(let bytes):
                room.copy(from: bytes.span)
                return .read
            }
        }
    }

    package mutating func perform(_ change: StoreChange) -> StoreResult {
        do throws(StoreFailure) {
            switch change {
            case .save(let request): try save(request)
            case .remove: try remove()
            case .read(let room):
                try pass(.reading)
                read(into: room)
                return .contents(contents)
            case .mend(let mendings):
                for mending in mendings { try mend(mending) }
            }
            return .done
        } catch { return .failed(error) }
    }

    private func pass(_ step: Step, inPlace: Bool = false) throws(StoreFailure) {
        guard failsAt == step else { return }
        throw StoreFailure(
            errno: Self.diskIsFull.errno, message: Self.diskIsFull.message, isInPlace: inPlace)
    }

    private mutating func save(_ request: SaveRequest) throws(StoreFailure) {
        if let expected = request.expectedSlots { try confirmSlots(expected) }
        if let loan = request.keyFile {
            try pass(.keyFile)
            guard key == .absent else {
                throw StoreFailure(errno: 17, message: "/k: File exists", isInPlace: false)
            }
            key = .bytes(loan.withBytes { bytes in bytes.indices.map { bytes[$0] } })
        }
        if let time = request.setsSlotsAsideAt {
            try pass(.slotsAside)
            if slots != .absent { aside["keyslots.plist.damaged-\(time)"] = slots }
            if slotsCopy != .absent { aside["keyslots.plist~.damaged-\(time)"] = slotsCopy }
        }
        if let bytes = request.slots { try writeSlots(bytes) }
        try pass(.account)
        if let previous = request.previous {
            if account == .bytes(previous) {
                previousAccount = account
            } else if account != .absent {
                aside["account.plist.sealed.damaged-\(request.time)"] = account
            }
        }
        account = .bytes(request.account)
        try pass(.accountSync, inPlace: true)
        guard request.previous == nil else { return }
        try pass(.previousRemoval, inPlace: true)
        previousAccount = .absent
    }

    private mutating func confirmSlots(_ expected: [UInt8]) throws(StoreFailure) {
        switch slots {
        case .absent: try writeSlots(expected)
        case .bytes(expected): break
        default: throw Self.slotsDiffer
        }
    }

    private mutating func writeSlots(_ bytes: [UInt8]) throws(StoreFailure) {
        try pass(.slotsCopy)
        slotsCopy = .bytes(bytes)
        try pass(.slots)
        slots = .bytes(bytes)
    }

    private mutating func remove() throws(StoreFailure) {
        previousAccount = .absent
        try pass(.removal)
        account = .absent
        try pass(.removalSync, inPlace: true)
    }

    private mutating func mend(_ mending: Mending) throws(StoreFailure) {
        try pass(.mending)
        switch mending.place {
        case .account:
            if let time = mending.setsAsideAt {
                aside["account.plist.sealed.damaged-\(time)"] = account
            }
            account = .bytes(mending.bytes)
        case .slots:
            if let time = mending.setsAsideAt { aside["keyslots.plist.damaged-\(time)"] = slots }
            slots = .bytes(mending.bytes)
        case .slotsCopy:
            if let time = mending.setsAsideAt {
                aside["keyslots.plist~.damaged-\(time)"] = slotsCopy
            }
            slotsCopy = .bytes(mending.bytes)
        }
    }
}

extension StoreContents.File {
    /// The file with one bit of its middle turned.
    package var damaged: StoreContents.File {
        guard case .bytes(var bytes) = self else { return .bytes([1, 2, 3]) }
        bytes[bytes.count / 2] ^= 4
        return .bytes(bytes)
    }
}
