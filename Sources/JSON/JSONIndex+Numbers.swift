extension JSONIndex {
    /// Where the value of an exponent stops to be counted.
    ///
    /// No text has so many digits; any exponent beyond means the same: zero, or out of range.
    private static let exponentBound = 1 << 40

    /// A number that is written without a fraction and an exponent and fits; nil for anything else.
    package func integer(_ node: Node, in text: Span<UInt8>) -> Int64? {
        guard kind(of: node) == .number else { return nil }
        let range = range(of: node)
        let isNegative = text[range.lowerBound] == UInt8(ascii: "-")
        // Counted below zero, where there is one value more.
        var value: Int64 = 0
        for position in (range.lowerBound + (isNegative ? 1 : 0))..<range.upperBound {
            let digit = text[position] &- UInt8(ascii: "0")
            guard digit < 10, Self.append(digit, to: &value) else { return nil }
        }
        return Self.sign(value, isNegative)
    }

    /// Any number, cut towards zero: `86399.7` gives 86399, `1e3` 1000, `-0.5` 0.
    ///
    /// Exact: the digits are counted and never pass through a floating-point type. What is not a
    /// number is out of range too.
    package func truncatedInteger(_ node: Node, in text: Span<UInt8>) -> JSONTruncation {
        guard kind(of: node) == .number else { return .outOfRange }
        let range = range(of: node)
        let isNegative = text[range.lowerBound] == UInt8(ascii: "-")
        let start = range.lowerBound + (isNegative ? 1 : 0)

        // First the shape: where the point would stand once the exponent is applied.
        var end = start
        var digitsBeforePoint: Int?
        while end < range.upperBound, text[end] | 0x20 != UInt8(ascii: "e") {
            if text[end] == UInt8(ascii: ".") { digitsBeforePoint = end - start }
            end += 1
        }
        var wanted = digitsBeforePoint ?? (end - start)
        if end < range.upperBound {
            wanted += Self.exponent(in: text, (end + 1)..<range.upperBound)
        }

        // Then as many digits as stand before that point.
        var value: Int64 = 0
        for position in start..<end where wanted > 0 && text[position] != UInt8(ascii: ".") {
            guard Self.append(text[position] &- UInt8(ascii: "0"), to: &value) else {
                return .outOfRange
            }
            wanted -= 1
        }
        while value != 0, wanted > 0 {
            guard Self.append(0, to: &value) else { return .outOfRange }
            wanted -= 1
        }
        guard let result = Self.sign(value, isNegative) else { return .outOfRange }
        return .value(result)
    }

    /// Any number, as near as a Double comes to it; nil for anything else, and for one that is out of
    /// its range.
    ///
    /// The digits pass through ordinary memory: not for a secret.
    package func float(_ node: Node, in text: Span<UInt8>) -> Double? {
        guard kind(of: node) == .number else { return nil }
        var digits = ""
        for position in range(of: node) {
            digits.unicodeScalars.append(Unicode.Scalar(text[position]))
        }
        guard let value = Double(digits), value.isFinite else { return nil }
        return value
    }

    private static func exponent(in text: Span<UInt8>, _ range: Range<Int>) -> Int {
        var exponent = 0
        for position in range {
            let digit = text[position] &- UInt8(ascii: "0")
            if digit < 10, exponent < exponentBound { exponent = exponent * 10 + Int(digit) }
        }
        return text[range.lowerBound] == UInt8(ascii: "-") ? -exponent : exponent
    }

    private static func append(_ digit: UInt8, to negated: inout Int64) -> Bool {
        let (product, overflows) = negated.multipliedReportingOverflow(by: 10)
        let (difference, overflowsToo) = product.subtractingReportingOverflow(Int64(digit))
        negated = difference
        return !overflows && !overflowsToo
    }

    private static func sign(_ negated: Int64, _ isNegative: Bool) -> Int64? {
        if isNegative { return negated }
        let (value, overflows) = Int64(0).subtractingReportingOverflow(negated)
        return overflows ? nil : value
    }
}
