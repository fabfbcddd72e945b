import Glibc

/// A list of C strings that ends with a null pointer, as execve(2) wants it.
@safe struct CStringList: ~Copyable {
    private let count: Int
    @unsafe let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    init(_ strings: [String], first: String? = nil) {
        count = strings.count + (first == nil ? 0 : 1)
        unsafe pointer = .allocate(capacity: count + 1)
        unsafe pointer.initialize(repeating: nil, count: count + 1)
        var index = 0
        // SAFETY: there is one place for each string, and one more that stays null.
        if let first {
            unsafe pointer[0] = strdup(first)
            index = 1
        }
        for string in strings {
            unsafe pointer[index] = strdup(string)
            index += 1
        }
    }

    deinit {
        // SAFETY: each string came from strdup and is freed once.
        for index in 0..<count { unsafe free(pointer[index]) }
        unsafe pointer.deallocate()
    }
}
