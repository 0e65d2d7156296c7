"""Calls for the user: sounds, notices, and what programs say beside their drawing."""
