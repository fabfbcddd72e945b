package import AccountService
package import Sealing
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
        case keyFile, slotsAside, slotsCopy, slots, nextSlots, account, accountSync
        case previousRemoval, removal, removalSync, mending, reading
        case derivation, retiredKeys, keyFileRemoval
    }

    package static let diskIsFull = StoreFailure(
        errno: 28, message: "/s: No space left on device", isInPlace: false)

    /// Nobody is there to tell it to.
    package static let killed = StoreFailure(errno: 0, message: "killed", isInPlace: false)

    package static let slotsDiffer = StoreFailure(
        errno: 116, message: "/s/keyslots.plist is another one", isInPlace: false)

    package var account = StoreContents.File.absent
    package var previousAccount = StoreContents.File.absent
    package var slots = StoreContents.File.absent
    package var slotsCopy = StoreContents.File.absent
    package var nextSlots = StoreContents.File.absent
    package var key = Key.absent
    /// The service manager's credential.
    package var credential = Key.absent
    /// Keys by which archives are sealed.
    package var archiveKeys: [MasterKeyID] = []
    /// How a passphrase becomes a seed; in full it takes half a second.
    package var derive: @Sendable (PassphraseDerivation) -> Bool = { $0.run() }
    package var hasOtherSealedFiles = false
    package var findings: [String] = []
    /// Another directory has come into the place of the one that was read.
    package var isReplaced = false
    /// What was set aside, as NAME.damaged-TIME.
    package var aside: [String: StoreContents.File] = [:]
    package var failsAt: Step?
    /// After how many steps the daemon is killed; what it had done until then stands.
    package var isKilledAfter: Int?

    package init() {}

    /// What a daemon that starts now reads.
    package var contents: StoreContents {
        var contents = StoreContents(
            account: account, previousAccount: previousAccount, slots: slots, slotsCopy: slotsCopy,
            hasOtherSealedFiles: hasOtherSealedFiles, findings: findings)
        contents.nextSlots = nextSlots
        contents.isReplaced = isReplaced
        return contents
    }

    package func read(into keys: StoreKeys) {
        Self.read(key, into: keys.keyFile)
        Self.read(credential, into: keys.credential)
    }

    private static func read(_ key: Key, into reading: KeyFileReading) {
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
            case .derive(let derivation):
                try pass(.derivation)
                guard derive(derivation) else { throw Self.diskIsFull }
            case .saveSlots(let request): try save(request)
            case .dropRetiredKeys(let request):
                try pass(.retiredKeys)
                if let borne = try drop(request) { return .borne(borne) }
            case .removeKeyFile:
                try pass(.keyFileRemoval)
                key = .absent
            }
            return .done
        } catch { return .failed(error) }
    }

    private mutating func pass(_ step: Step, inPlace: Bool = false) throws(StoreFailure) {
        if let steps = isKilledAfter {
            guard steps > 0 else { throw Self.killed }
            isKilledAfter = steps - 1
        }
        guard failsAt == step else { return }
        throw StoreFailure(
            errno: Self.diskIsFull.errno, message: Self.diskIsFull.message, isInPlace: inPlace)
    }

    private mutating func save(_ request: SaveRequest) throws(StoreFailure) {
        if let expected = request.expectedSlots { try confirmSlots(expected) }
        if let loan = request.keyFile { try make(loan) }
        if let bytes = request.slots {
            try writeSlots(bytes, settingAsideAt: request.setsSlotsAsideAt)
        }
        if let next = request.nextSlots {
            try pass(.nextSlots)
            nextSlots = .bytes(next)
        }
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
        if let next = request.nextSlots {
            for mending in Mending.adopting(next, at: request.time) {
                try mend(mending, inPlace: true)
            }
        }
        guard request.previous == nil else { return }
        try pass(.previousRemoval, inPlace: true)
        previousAccount = .absent
    }

    private mutating func save(_ request: SlotsRequest) throws(StoreFailure) {
        if let expected = request.expected {
            try confirmSlots(expected)
        } else if slots != .absent || account != .absent || nextSlots != .absent {
            throw Self.slotsDiffer
        }
        if let loan = request.keyFile { try make(loan) }
        try writeSlots(request.slots, settingAsideAt: nil)
    }

    private mutating func make(_ loan: SecretLoan) throws(StoreFailure) {
        try pass(.keyFile)
        guard key == .absent else {
            throw StoreFailure(errno: 17, message: "/k: File exists", isInPlace: false)
        }
        key = .bytes(loan.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    }

    private mutating func drop(
        _ request: RetiredKeysRequest
    ) throws(StoreFailure) -> BorneKeys? {
        let ofSpare = Self.keyID(of: previousAccount)
        let borne = archiveKeys + [Self.keyID(of: account), ofSpare].compactMap { $0 }
        let kept = request.ids.filter(borne.contains)
        guard kept.isEmpty else {
            return BorneKeys(kept, bySpare: ofSpare.map(kept.contains) ?? false)
        }
        try confirmSlots(request.expected)
        try writeSlots(request.slots, settingAsideAt: nil)
        return nil
    }

    /// By which master key a file says that it is sealed.
    package static func keyID(of file: StoreContents.File) -> MasterKeyID? {
        guard case .bytes(let bytes) = file else { return nil }
        return try? SealedFile.header(of: bytes.span).keyID
    }

    private mutating func confirmSlots(_ expected: [UInt8]) throws(StoreFailure) {
        if nextSlots == .bytes(expected) {
            for mending in Mending.adopting(expected, at: 0) { try mend(mending) }
        }
        switch slots {
        case .absent: try writeSlots(expected, settingAsideAt: nil)
        case .bytes(expected): break
        default: throw Self.slotsDiffer
        }
    }

    private mutating func writeSlots(
        _ bytes: [UInt8], settingAsideAt time: Int64?
    ) throws(StoreFailure) {
        if time != nil { try pass(.slotsAside) }
        try pass(.slotsCopy)
        try put(.slotsCopy, bytes, time)
        try pass(.slots)
        try put(.slots, bytes, time)
    }

    private mutating func remove() throws(StoreFailure) {
        previousAccount = .absent
        try pass(.removal)
        account = .absent
        try pass(.removalSync, inPlace: true)
    }

    private mutating func mend(
        _ mending: Mending, inPlace: Bool = false
    ) throws(StoreFailure) {
        try pass(.mending, inPlace: inPlace)
        try put(mending.place, mending.bytes, mending.setsAsideAt)
    }

    private mutating func put(
        _ place: Mending.Place, _ bytes: [UInt8]?, _ time: Int64?
    ) throws(StoreFailure) {
        let (name, path): (String, WritableKeyPath<FakeStore, StoreContents.File>) =
            switch place {
            case .account: ("account.plist.sealed", \.account)
            case .previousAccount: ("account.plist.sealed~", \.previousAccount)
            case .slots: ("keyslots.plist", \.slots)
            case .slotsCopy: ("keyslots.plist~", \.slotsCopy)
            case .nextSlots: ("keyslots.plist.next", \.nextSlots)
            }
        let new = bytes.map { StoreContents.File.bytes($0) } ?? .absent
        guard self[keyPath: path] != new else { return }
        if let time, self[keyPath: path] != .absent {
            aside["\(name).damaged-\(time)"] = self[keyPath: path]
        }
        self[keyPath: path] = new
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
