"""The character: packs, faces, sprite and balloon."""
