enum AccountsTestsPlaceholder {}
