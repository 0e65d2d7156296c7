"""The fallback engine on pyte."""
