import Glibc
import SecretMemory

/// A name or a value that expat tells, as it stands in its memory: UTF-8, ended by NUL.
@safe struct XMLName {
    private let start: UnsafePointer<CChar>?

    /// Looks at one; it must not outlive the call that told it.
    @unsafe init(_ start: UnsafePointer<CChar>?) { unsafe self.start = start }

    /// Whether it is this one.
    static func == (name: XMLName, text: StaticString) -> Bool {
        guard let start = unsafe name.start else { return false }
        // SAFETY: both are ended by NUL: a static string is, in memory.
        return unsafe strcmp(
            start, UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
    }

    /// Lends its bytes.
    func withBytes<R: ~Copyable, E: Error>(
        _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: it is ended by NUL, and the span does not outlive the call.
        let bytes = unsafe UnsafeRawBufferPointer(
            start: start, count: start.map { unsafe strlen($0) } ?? 0)
        return try body(unsafe Span<UInt8>(_unsafeBytes: bytes))
    }
}

/// The attributes of an element: names and values by turns, ended by a null pointer.
@safe struct XMLAttributes {
    private let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

    /// Looks at them; it must not outlive the call that told them.
    @unsafe init(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) { unsafe self.list = list }

    /// The value of one; nil where there is none of that name.
    func value(_ wanted: StaticString) -> XMLName? {
        guard let list = unsafe list else { return nil }
        var position = 0
        // SAFETY: the list is ended by a null pointer in the place of a name.
        while let name = unsafe list[position] {
            if unsafe XMLName(name) == wanted { return unsafe XMLName(list[position + 1]) }
            position += 2
        }
        return nil
    }
}
