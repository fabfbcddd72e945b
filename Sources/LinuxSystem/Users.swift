import Glibc

/// Users and groups, from the files alone: a name service would load modules into the process.
/// passwd(5), group(5)
package enum Users {
    /// Bytes that either file may have.
    private static let fileLimit = 16 << 20

    /// The user that this process acts for. geteuid(2)
    package static var currentUID: UInt32 { geteuid() }

    /// The overflow user and group: what a user that this namespace does not know reads as.
    ///
    /// It stands for nobody in particular. user_namespaces(7)
    package static let overflowID: UInt32 = 65_534

    /// The home directory: HOME if it is an absolute path, else the one in /etc/passwd.
    ///
    /// - Throws: when HOME is not UTF-8.
    package static func homeDirectory() throws(NotUTF8) -> String? {
        if let home = try Environment.absolutePath("HOME") { return home }
        guard let text = try? Files.readWhole("/etc/passwd", limit: fileLimit) else { return nil }
        return homeDirectory(of: currentUID, passwd: text)
    }

    /// XDG_RUNTIME_DIR, where it is an absolute path to a directory of this user's.
    ///
    /// The specification wants it to be the user's own. After `su` it is another user's, and after
    /// the end of the login session there is none.
    ///
    /// - Throws: when it is not UTF-8.
    package static func runtimeDirectory() throws(NotUTF8) -> String? {
        guard let path = try Environment.absolutePath("XDG_RUNTIME_DIR"), ownsDirectory(path) else {
            return nil
        }
        return path
    }

    /// Whether there is a directory at the path, and this user's.
    package static func ownsDirectory(_ path: String) -> Bool {
        guard let status = try? FileStatus.of(path: path, following: true) else { return false }
        return status.kind == .directory && status.ownerUID == currentUID
    }

    /// A group's number, from its name in /etc/group or from digits.
    ///
    /// - Returns: nil when there is no such group.
    /// - Throws: the errno when the file cannot be read.
    package static func groupID(named name: String) throws(Errno) -> UInt32? {
        if let number = number(name.utf8) { return number }
        return id(of: name, in: try Files.readWhole("/etc/group", limit: fileLimit))
    }

    /// A user's number, from its name in /etc/passwd or from digits.
    ///
    /// - Returns: nil when there is no such user.
    /// - Throws: the errno when the file cannot be read.
    package static func userID(named name: String) throws(Errno) -> UInt32? {
        if let number = number(name.utf8) { return number }
        return id(of: name, in: try Files.readWhole("/etc/passwd", limit: fileLimit))
    }

    /// The home directory of a user in the text of /etc/passwd.
    package static func homeDirectory(of uid: UInt32, passwd text: [UInt8]) -> String? {
        for line in lines(text) {
            let fields = self.fields(line)
            guard fields.count >= 6, number(fields[2]) == uid,
                fields[5].first == UInt8(ascii: "/")
            else { continue }
            return String(validating: fields[5], as: UTF8.self)
        }
        return nil
    }

    /// The third field of the line that begins with the name: of either file.
    package static func id(of name: String, in text: [UInt8]) -> UInt32? {
        let wanted = Array(name.utf8)
        for line in lines(text) {
            let fields = self.fields(line)
            if fields.count >= 3, fields[0].elementsEqual(wanted) { return number(fields[2]) }
        }
        return nil
    }

    private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        text.split(separator: UInt8(ascii: "\n"))
    }

    private static func fields(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    }

    // Digits alone; UInt32(_:) would take a sign. The highest number stands for "no change".
    private static func number(_ digits: some Collection<UInt8>) -> UInt32? {
        guard !digits.isEmpty, digits.count <= 10 else { return nil }
        var value: UInt64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return value < UInt64(UInt32.max) ? UInt32(value) : nil
    }
}
