"""Text in a terminal: rows, styles, widths, words, selection and layout."""
