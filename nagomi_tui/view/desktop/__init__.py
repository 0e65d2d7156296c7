"""What leaves the front end for the user's desktop: text to the clipboard, links to a browser."""
