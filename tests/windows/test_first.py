import sys
def test_it(): assert sys.platform == "win32"
