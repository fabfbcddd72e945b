import Glibc

/// The process's environment. environ(7)
///
/// Read and changed while there is one thread only.
package enum Environment {
    /// The value of a variable.
    ///
    /// - Returns: nil when it is unset, empty, or not UTF-8: an empty variable counts as unset, as
    ///   the XDG base directory specification has it.
    package static func value(_ name: String) -> String? {
        // SAFETY: the string lives until the environment is changed; it is copied at once.
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(validatingCString: value)
    }

    /// The value of a variable that says where something is.
    ///
    /// - Returns: nil when it is unset or empty.
    /// - Throws: when it is not UTF-8. Another place than the one that was named would be looked at
    ///   if it counted as unset.
    package static func path(_ name: String) throws(NotUTF8) -> String? {
        // SAFETY: as above.
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        guard let text = unsafe String(validatingCString: value) else {
            throw NotUTF8(what: name)
        }
        return text
    }

    /// The value of a variable that names a place from the root on.
    ///
    /// - Returns: nil for a relative path too, which the XDG base directory specification has
    ///   ignored.
    /// - Throws: when it is not UTF-8.
    package static func absolutePath(_ name: String) throws(NotUTF8) -> String? {
        guard let value = try path(name), value.utf8.first == UInt8(ascii: "/") else { return nil }
        return value
    }

    /// Sets a variable. setenv(3)
    package static func set(_ name: String, to value: String) {
        // SAFETY: both strings are copied.
        unsafe setenv(name, value, 1)
    }

    /// Removes a variable. unsetenv(3)
    package static func unset(_ name: String) {
        // SAFETY: the name lives for the call.
        unsafe unsetenv(name)
    }

    /// All of it, each as `NAME=value`; what is not UTF-8 is left out.
    package static func all() -> [String] {
        var entries = [String]()
        var index = 0
        // SAFETY: the list ends with a null pointer.
        while let entry = unsafe environ[index] {
            if let text = unsafe String(validatingCString: entry) { entries.append(text) }
            index += 1
        }
        return entries
    }
}
