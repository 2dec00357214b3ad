//! SMS encodings, parts, TP-Status and result codes.
