enum AccountServicePlaceholder {}
