enum VarlinkTestsPlaceholder {}
