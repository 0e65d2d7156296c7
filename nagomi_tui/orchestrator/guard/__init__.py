"""The guard as the workplace shows and steers it: which sessions are guarded, and what the user decides."""
