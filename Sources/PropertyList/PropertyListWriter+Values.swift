import SecretMemory

extension PropertyListWriter {
    /// Adds an integer in the fewest bytes that readers take for the same value.
    package mutating func add(integer: Int64) throws(PropertyListError) -> Reference {
        try add { buffer throws(SecretMemoryError) in try buffer.appendInteger(integer) }
    }

    /// Adds an integer; one above 2⁶³ - 1 takes 16 bytes, of which readers know no other use.
    package mutating func add(unsigned: UInt64) throws(PropertyListError) -> Reference {
        if let integer = Int64(exactly: unsigned) { return try add(integer: integer) }
        return try add { buffer throws(SecretMemoryError) in
            try buffer.append(0x14)
            try buffer.append(bigEndian: 0, size: 8)
            try buffer.append(bigEndian: unsigned, size: 8)
        }
    }

    /// Adds a boolean.
    package mutating func add(boolean: Bool) throws(PropertyListError) -> Reference {
        try add { buffer throws(SecretMemoryError) in try buffer.append(boolean ? 0x09 : 0x08) }
    }

    /// Adds a real of 8 bytes.
    package mutating func add(real: Double) throws(PropertyListError) -> Reference {
        try add { buffer throws(SecretMemoryError) in
            try buffer.append(0x23)
            try buffer.append(bigEndian: real.bitPattern, size: 8)
        }
    }

    /// Adds a real of 4 bytes.
    package mutating func add(real: Float) throws(PropertyListError) -> Reference {
        try add { buffer throws(SecretMemoryError) in
            try buffer.append(0x22)
            try buffer.append(bigEndian: UInt64(real.bitPattern), size: 4)
        }
    }

    /// Adds a date.
    ///
    /// - Parameter secondsSince1970: since 1970-01-01T00:00:00Z.
    /// - Throws: `.unwritable` unless it is finite.
    package mutating func add(
        date secondsSince1970: Double
    ) throws(PropertyListError) -> Reference {
        guard secondsSince1970.isFinite else { throw .unwritable }
        return try add(dateSince2001: secondsSince1970 - PropertyListIndex.referenceDate)
    }

    /// Adds a date bit for bit; one that is counted from 1970 loses its last digits on the way.
    ///
    /// - Parameter seconds: since 2001-01-01T00:00:00Z.
    /// - Throws: `.unwritable` unless it is finite.
    package mutating func add(
        dateSince2001 seconds: Double
    ) throws(PropertyListError) -> Reference {
        guard seconds.isFinite else { throw .unwritable }
        return try add { buffer throws(SecretMemoryError) in
            try buffer.append(0x33)
            try buffer.append(bigEndian: seconds.bitPattern, size: 8)
        }
    }

    /// Adds a UID, with which NSKeyedArchiver refers to objects, in the fewest bytes.
    package mutating func add(uid: UInt32) throws(PropertyListError) -> Reference {
        let size = uid < 1 << 8 ? 1 : uid < 1 << 16 ? 2 : 4
        return try add { buffer throws(SecretMemoryError) in
            try buffer.append(0x80 | UInt8(size - 1))
            try buffer.append(bigEndian: UInt64(uid), size: size)
        }
    }

    /// Adds data.
    package mutating func add(data: Span<UInt8>) throws(PropertyListError) -> Reference {
        try add { buffer throws(SecretMemoryError) in
            try buffer.appendMarker(0x40, count: data.count)
            try buffer.append(data)
        }
    }

    /// Adds a string, as ASCII where it is that and else as UTF-16.
    ///
    /// - Throws: `.unwritable` unless the bytes are UTF-8.
    package mutating func add(string utf8: Span<UInt8>) throws(PropertyListError) -> Reference {
        let text: UTF8Span
        do { text = try UTF8Span(validating: utf8) } catch { throw .unwritable }
        var units = 0
        var isASCII = true
        var scalars = text.makeUnicodeScalarIterator()
        while let scalar = scalars.next() {
            units += UTF16.width(scalar)
            isASCII = isASCII && scalar.isASCII
        }
        guard !isASCII else { return try add(ascii: utf8) }
        return try add { buffer throws(SecretMemoryError) in
            try buffer.appendMarker(0x60, count: units)
            var scalars = text.makeUnicodeScalarIterator()
            while let scalar = scalars.next() {
                for unit in scalar.utf16 { try buffer.append(bigEndian: UInt64(unit), size: 2) }
            }
        }
    }

    /// Adds a text that is part of the program.
    package mutating func add(string: StaticString) throws(PropertyListError) -> Reference {
        // SAFETY: a static string lives as long as the program.
        let utf8 = unsafe UnsafeBufferPointer(
            start: string.utf8Start, count: string.utf8CodeUnitCount)
        return try add(string: unsafe utf8.span)
    }

    /// Adds a text that is no secret.
    package mutating func add(string: String) throws(PropertyListError) -> Reference {
        var utf8 = string.utf8Span
        guard !utf8.checkForASCII() else { return try add(ascii: utf8.span) }
        let units = string.utf16
        return try add { buffer throws(SecretMemoryError) in
            try buffer.appendMarker(0x60, count: units.count)
            for unit in units { try buffer.append(bigEndian: UInt64(unit), size: 2) }
        }
    }

    private mutating func add(ascii: Span<UInt8>) throws(PropertyListError) -> Reference {
        try add { buffer throws(SecretMemoryError) in
            try buffer.appendMarker(0x50, count: ascii.count)
            try buffer.append(ascii)
        }
    }
}

extension SecretBuffer {
    /// Appends a marker with a length, which stands behind it as an integer from 15 on.
    mutating func appendMarker(_ marker: UInt8, count: Int) throws(SecretMemoryError) {
        try append(marker | UInt8(min(count, 0x0F)))
        if count >= 0x0F { try appendInteger(Int64(count)) }
    }

    /// Appends an integer with its marker; those of 1, 2 and 4 bytes have no sign.
    mutating func appendInteger(_ value: Int64) throws(SecretMemoryError) {
        let exponent: UInt8
        switch value {
        case 0...0xFF: exponent = 0
        case 0...0xFFFF: exponent = 1
        case 0...0xFFFF_FFFF: exponent = 2
        default: exponent = 3
        }
        try append(0x10 | exponent)
        try append(bigEndian: UInt64(bitPattern: value), size: 1 << Int(exponent))
    }
}
