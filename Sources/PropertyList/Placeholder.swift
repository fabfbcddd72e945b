enum PropertyListPlaceholder {}
