enum AccountCommandsPlaceholder {}
