"""The lowered form of one module: plain data, no syntax nodes."""
