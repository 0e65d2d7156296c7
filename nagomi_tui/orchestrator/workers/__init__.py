"""The pool of workers and the connections to them."""
