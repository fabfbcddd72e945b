enum AccountServiceTestsPlaceholder {}
