enum VarlinkPlaceholder {}
