// Paths are bytes: a name may begin with a letter that combines with the slash before it, and a slash
// that is looked for as a character is not found then.
extension Files {
    /// Whether a path begins at the root. path_resolution(7)
    package static func isAbsolute(_ path: String) -> Bool {
        path.utf8.first == UInt8(ascii: "/")
    }

    /// The path of the directory and the name in it: "/run/user/7", "socket".
    ///
    /// A path without a slash is in ".", and "/" is "." in "/".
    package static func split(_ path: String) -> (parent: String, name: String) {
        let path = withoutTrailingSlashes(path)
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let start = path.utf8.index(after: slash)
        let name = String(Substring(path.utf8[start...]))
        if name.isEmpty { return ("/", ".") }
        let parent = withoutTrailingSlashes(String(Substring(path.utf8[..<start])))
        return (parent, name)
    }

    /// The path without slashes at its end, and without "/." there; "/" stays.
    package static func withoutTrailingSlashes(_ path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1 {
            if bytes.last == UInt8(ascii: "/") {
                bytes = bytes.dropLast()
            } else if bytes.last == UInt8(ascii: "."),
                bytes.dropLast().last == UInt8(ascii: "/")
            {
                bytes = bytes.dropLast()
            } else {
                break
            }
        }
        return String(Substring(bytes))
    }
}
