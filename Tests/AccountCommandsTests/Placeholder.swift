enum AccountCommandsTestsPlaceholder {}
