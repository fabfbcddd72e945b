/// A hash table of the names of one object; its room is used again for the next.
///
/// Open addressing with linear probing, at the most half full. Hashes are seeded at random for each
/// process, so that nobody can choose names that fall on the same place.
struct JSONNameSet {
    /// The most slots whose room is kept from one text to the next.
    private static let maximumKeptSlots = 2048

    private struct Slot {
        // Index of the name's node and one more; 0 when the slot is free.
        var name: UInt32 = 0
        // The upper half; the lower half has chosen the slot.
        var hash: UInt32 = 0
    }

    private var slots: [Slot] = []
    private var mask = 0

    /// Empties it and makes room for `count` names.
    mutating func reset(for count: Int) {
        var needed = 32
        while needed < 2 * count { needed *= 2 }
        mask = needed - 1
        if slots.count < needed {
            slots = [Slot](repeating: Slot(), count: needed)
        } else {
            for index in 0..<needed { slots[index] = Slot() }
        }
    }

    /// Gives back the room of an unusually large object.
    mutating func trim() {
        if slots.count > Self.maximumKeptSlots { slots = [] }
    }

    /// Where the search for a hash begins.
    func firstSlot(for hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & mask }

    /// The next name with the same hash, or nil at a free slot.
    ///
    /// - Parameter slot: moves past the name, and stays at the free slot.
    func nextCandidate(for hash: UInt64, at slot: inout Int) -> Int? {
        while slots[slot].name != 0 {
            let found = slots[slot]
            slot = (slot + 1) & mask
            if found.hash == UInt32(truncatingIfNeeded: hash >> 32) { return Int(found.name) - 1 }
        }
        return nil
    }

    /// Fills a free slot.
    mutating func insert(_ name: Int, hash: UInt64, at slot: Int) {
        slots[slot] = Slot(
            name: UInt32(truncatingIfNeeded: name + 1),
            hash: UInt32(truncatingIfNeeded: hash >> 32))
    }
}
