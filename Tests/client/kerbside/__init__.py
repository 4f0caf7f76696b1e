"""A client of the hub that knows nothing of it but config/contract."""
