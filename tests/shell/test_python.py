"""DC-30: code behind `python3 -c` reads where each part of it is known to compute and print only."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.guard.files.folder import Here
from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import Patterns

if TYPE_CHECKING:
    from pathlib import Path

READS: Final = [
    "print(1+1)",
    "import json; print(json.load(open('a.json'))['k'])",
    "import json,sys; d=json.load(sys.stdin); print(d['x'][0])",
    "import sys, json\nfor line in sys.stdin:\n    o = json.loads(line)\n    print(o.get('name'), len(o))",
    "import json; print(json.dumps(json.load(open('a.json')), indent=2, sort_keys=True))",
    "import sys; print(sys.version)", "import sys; print(sys.version_info[:2])", "import sys; print('\\n'.join(sys.path))",
    "import sys; print(sys.path)", "import sys\nfor p in sys.path: print(p)",
    "import re; print(re.findall(r'\\d+', open('a').read()))",
    "import re\nwith open('a', encoding='utf-8') as f:\n    for i, l in enumerate(f, 1):\n        if re.search('x', l): print(i, l.rstrip())",
    "print(open('a').read().count('x'))", "print(len(open('a', 'rb').read()))",
    "print(sum(int(x.split(',')[1]) for x in open('a.csv').readlines()[1:]))",
    "from collections import Counter; print(Counter(open('a').read().split()).most_common(5))",
    "import os; print(os.getcwd()); print(sorted(os.listdir('.')))", "import os; print(os.environ.get('HOME'))",
    "import os\nfor r, d, fs in os.walk('.'):\n    for f in fs: print(os.path.join(r, f), os.path.getsize(os.path.join(r, f)))",
    "import os.path; print(os.path.exists('a'))", "from pathlib import Path; print(Path('a').read_text()[:100])",
    "from pathlib import Path; print([p.name for p in Path('.').glob('*.py')])",
    "import pathlib; print(pathlib.Path('a').exists(), pathlib.Path.cwd())",
    "import datetime; print(datetime.datetime.now().isoformat())", "from datetime import datetime, timedelta; print(datetime.now() - timedelta(days=1))",
    "import time; print(time.strftime('%Y'))", "import time; print(time.time())",
    "import csv; print(list(csv.DictReader(open('a.csv')))[:2])", "import csv,sys; csv.writer(sys.stdout).writerow([1,2])",
    "import hashlib; print(hashlib.sha256(b'x').hexdigest())", "import hashlib; print(hashlib.md5(open('a','rb').read()).hexdigest())",
    "import base64; print(base64.b64decode('eA==').decode())", "import math; print(math.sqrt(2), math.pi)",
    "import statistics; print(statistics.mean([1,2]))", "import tomllib; print(tomllib.load(open('pyproject.toml','rb'))['project'])",
    "import ast; ast.parse(open('a.py').read()); print('ok')", "import ast,sys; ast.parse(open(sys.argv[1]).read())",
    "import struct; print(struct.unpack('<I', b'abcd'))", "import urllib.parse; print(urllib.parse.quote('a b'))",
    "from urllib.parse import unquote; print(unquote('a%20b'))", "import itertools; print(list(itertools.chain.from_iterable([[1],[2]])))",
    "import textwrap; print(textwrap.dedent('''\n  a\n'''))", "def f(n):\n    return 1 if n < 2 else n * f(n-1)\nprint(f(5))",
    "f = lambda x: x * 2\nprint(f(3))", "print({k: v for k, v in {'a': 1}.items() if v})", "print(f'{1+1:>5}')", "print('%s' % 1)",
    "print('{} {}'.format(1, 2))", "try:\n    import json; json.loads('x')\nexcept json.JSONDecodeError as e:\n    print(e.msg, e.lineno)",
    "import shutil; print(shutil.which('ls'))", "import glob; print(glob.glob('*.py'))", "print(type(1).__name__)", "print(repr('あ'), ord('a'), hex(255))",
    "import xml.etree.ElementTree as ET; print(ET.fromstring(open('a.xml').read()).tag)", "import sys; sys.stdout.write('x'); sys.exit(0)",
    "import importlib.metadata; print(importlib.metadata.version('pip'))", "from importlib.metadata import version; print(version('pip'))",
    "import sys; data = sys.stdin.buffer.read(); print(len(data))", "import uuid; print(uuid.uuid4())", "import random; print(random.randint(1, 6))",
    "import difflib\nfor l in difflib.unified_diff(open('a').readlines(), open('b').readlines()): print(l, end='')",
    "import configparser; c = configparser.ConfigParser(); c.read('setup.cfg'); print(c.sections())", "import sys; print(len(sys.argv))",
    "assert 1 == 1", "x = [3, 1]; x.sort(); print(x.index(3))", "import operator, functools; print(functools.reduce(operator.add, [1, 2]))",
    "import unicodedata; print(unicodedata.name('é'))", "print('a-b'.replace('-', '_').upper())", "import json; json.dump({'a': 1}, __import__)" [:0] + "print(b'x'.hex())",
]  # fmt: skip

WRITES: Final = [
    "import xml.etree.ElementTree as E; print('w', file=E.parse('a.xml'))", "import xml.etree.ElementTree as E, json; json.dump('w', E.parse('a.xml'))",
    "import io; print('x', file=io.StringIO())", "print('x', file=open('a'))",
    "open('w', 'w')", "open('w', 'a').write('x')", "open('w', mode='w')", "open('w', 'r+')", "open('w', 'x')", "m = 'w'; open('f', m)",
    "open(*['f', 'w'])", "open(**{'file': 'f', 'mode': 'w'})", "open('f', 'r', opener=print)", "o = open; o('f', 'w')",
    "list(map(open, ['f'], ['w']))", "import functools; functools.partial(open, mode='w')('f')", "[open][0]('f', 'w')",
    "import os; os.remove('a')", "import os; os.system('touch w')", "import os; os.popen('touch w')", "from os import system; system('touch w')",
    "from os import *", "import os as o; o.mkdir('w')", "import os; r = os.rename; r('a', 'w')", "import os; getattr(os, 'system')('touch w')",
    "import os; os.open('w', 64)", "import os; os.path.os.system('touch w')", "import os; vars(os)['system']('touch w')", "import os; x = os; x.remove('a')",
    "import os; (lambda m: m.remove('a'))(os)", "import os; [os][0].remove('a')", "import os; os.putenv('A', 'b')", "import os; os.environ.__setitem__('A', 'b')",
    "import subprocess; subprocess.run(['touch', 'w'])", "import shutil; shutil.rmtree('d')", "from shutil import rmtree", "import shutil; shutil.copy('a', 'w')",
    "import pathlib; pathlib.Path('w').write_text('x')", "import pathlib; pathlib.Path('a').replace('w')", "from pathlib import Path; Path('a').unlink()",
    "from pathlib import Path; p = Path('a'); p.rename('w')", "from pathlib import Path; Path('w').touch()", "from pathlib import Path; Path('w').open('w')",
    "from pathlib import Path; [p.replace('w') for p in Path('.').iterdir()]", "from pathlib import Path; Path('a').copy('w')", "from pathlib import Path as str; str('a').replace('w')",
    "exec('x=1')", "eval('1')", "__import__('os').system('touch w')", "compile('1', '', 'eval')", "getattr(1, 'x')", "globals()", "breakpoint()", "input()", "help()",
    "().__class__.__base__.__subclasses__()", "(1).__class__", "'{0.__class__}'.format(1)", "f = '{0.x}'; f.format(1)", "[].__init__.__globals__",
    "import sys; sys.modules['os'].system('touch w')", "import sys; sys.path.insert(0, '.'); import csv", "import sys; p = sys.path; p += ['.']", "import sys; sys.path[:0] = ['.']",
    "import sys; sys.path = []", "import sys; print(sys.path.append('.'))", "import sys; sys.settrace(print)", "import sys; sys.stdout = 1", "import sys; sys._getframe()",
    "import json; json.codecs.open('w', 'w')", "import json; json.decoder.re", "import re; re.enum.sys", "from json import codecs", "import importlib; importlib.import_module('os')",
    "import requests", "import yaml", "import socket", "import tempfile", "import sqlite3; sqlite3.connect('w')", "import logging; logging.basicConfig(filename='w')",
    "import pickle; pickle.loads(b'')", "import ctypes", "import urllib.request; urllib.request.urlretrieve('http://a', 'w')", "import http.server", "import zipfile", "import tarfile",
    "import setup", "from . import a", "import a.b", "import json as os; os.remove('a')", "import operator; operator.methodcaller('write', 'x')", "from operator import attrgetter",
    "class A: pass", "@print\ndef f(): pass", "async def f(): pass", "match 1:\n  case 1: pass", "type('X', (), {})", "t = type(1); t()", "print = open", "def open(x): pass",
    "import json\njson.load = 1", "json = 1\nimport json", "for print in [1]: pass", "def f(sys): pass\nimport sys", "x = lambda __class__: 1", "global x", "del open",
    "import csv; csv.writer(open('w','w'))", "import io; io.open('w', 'w')", "import io; io.FileIO('w', 'w')", "import gzip; gzip.open('w', 'w')", "import os; os.fdopen(1, 'w')",
    "import sys; sys.stdin.buffer.raw", "import sys; sys.stdout.buffer.write(b'x')", "import xml.etree.ElementTree as E; E.parse('a').write('w')", "import xml.etree.ElementTree as E; E.ElementTree().write('w')",
    "import configparser; configparser.ConfigParser().write(open('w'))", "import asyncio", "import webbrowser", "import ast; ast.sys", "import glob; glob.os.remove('a')", "import shutil; shutil.os.remove('a')",
    "import collections; collections.namedtuple('a', 'b')", "import random; random._os.remove('a')", "import tomllib; tomllib._parser", "import uuid; uuid.os.remove('a')", "import pprint; pprint._sys.modules",
    "print(", "x = ", "import", "import this", "import antigravity", "\tprint(1)", "import os;os.walk.__globals__", "print.__self__.open('w','w')", "str.join.__class__", "import code; code.interact()",
    "import json; json.tool", "import random; random.SystemRandom().__reduce__()", "import statistics; statistics.sys", "import difflib; difflib.re.enum",
]  # fmt: skip


def _told(command: str, folder: Path) -> str:
    return classify(command, Patterns(folder=Here(str(folder)))).verdict


@pytest.mark.parametrize("code", READS)
@pytest.mark.requirement("DC-30")
def test_code_that_computes_and_prints_reads(code: str, tmp_path: Path) -> None:
    assert classify(f"python3 -c {shlex.quote(code)}").reason == "nothing in it writes"
    assert _told(f"python3 -I -c {shlex.quote(code)} a b | head", tmp_path) == "read"


@pytest.mark.parametrize("code", WRITES)
@pytest.mark.requirement("DC-30")
def test_code_that_is_not_known_in_each_part_writes(code: str) -> None:
    assert classify(f"python3 -c {shlex.quote(code)}").verdict == "write"
    assert classify(f"python3 -I -c {shlex.quote(code)}").verdict == "write"


@pytest.mark.requirement("DC-30")
def test_code_that_reads_changes_nothing(tmp_path: Path) -> None:
    """All are run in one folder, which is the same afterwards."""
    held = {
        "a": "x 1\n",
        "b": "y\n",
        "a.csv": "a,b\n1,2\n",
        "a.json": '{"k": 1, "x": [1]}',
        "a.py": "x = 1\n",
        "a.xml": "<r/>",
    }
    for name, text in held.items():
        (tmp_path / name).write_text(text)
    failed = []
    for code in READS:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, "a.py"],
            cwd=tmp_path,
            input='{"x": [1], "name": "n"}',
            text=True,
            capture_output=True,
        )
        failed += [code] if done.returncode and "pyproject" not in code else []
    assert failed == []
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == held


@pytest.mark.requirement("DC-30")
def test_code_that_the_folder_could_change_is_no_read(tmp_path: Path) -> None:
    code = "python3 -c 'import json; print(json.dumps(1))'"
    assert _told(code, tmp_path) == "read"
    for name in (
        "json.py",
        "re.pyc",
        "sys.so",
        "_json.cpython-311-x86_64-linux-gnu.so",
        "encodings.py",
    ):
        (tmp_path / name).write_text("open('w', 'w')")
        assert _told(code, tmp_path) == "write", name
        assert _told(code.replace("-c", "-P -c"), tmp_path) == "read"
        (tmp_path / name).unlink()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/json.py").touch()
    assert _told(code, tmp_path) == "read" and _told(f"cd sub && {code}", tmp_path) == "write"
    assert _told('cd "$x" && ' + code, tmp_path) == "write"


@pytest.mark.parametrize(
    "command",
    ['python3 -c "print($x)"', 'python3 -c "$(cat a)"', "python3 -c $x", "python3 -c", "python3 a.py", "python3 -", "python3 -m http.server",
     "python3 -i -c 'print(1)'", "python3 -X importtime -c 'print(1)'", "python3 -W error::a.B -c 'print(1)'", "python3 -cprint", "python3 -Ic 'x'",
     "python3 < a", "python3 -m json.tool a b", "python3 -m json.tool --json-lines a -o b", "python3 -I a.py", "python3 -m pip install x"],
)  # fmt: skip
@pytest.mark.requirement("DC-30")
def test_python_that_runs_what_is_not_in_the_command_writes(command: str) -> None:
    assert classify(command).verdict == "write"
