import Glibc

/// Writing to standard output and standard error without buffers, so that a full disk or a closed
/// pipe is noticed where it happens.
package enum StandardStream {
    /// Standard output.
    package static var output: Int32 { 1 }
    /// Standard error.
    package static var error: Int32 { 2 }

    /// Writes all of the bytes, in as many calls as it takes. write(2)
    ///
    /// - Throws: the errno: `.brokenPipe`, `.noSpace`.
    package static func writeAll(_ bytes: Span<UInt8>, to fd: Int32) throws(Errno) {
        try Files.writeAll(fd, bytes)
    }

    /// Writes a text as it is, without a line's end. write(2)
    ///
    /// - Throws: the errno: `.brokenPipe`, `.noSpace`.
    package static func print(_ text: String, to fd: Int32) throws(Errno) {
        try Files.writeAll(fd, text.utf8Span.span)
    }
}
