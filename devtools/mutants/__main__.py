"""``python3 dev.py mutants``, in the environment that has what it needs."""

import argparse

from devtools.mutants import mutants

parser = argparse.ArgumentParser(prog="python3 dev.py mutants")
parser.add_argument("rooms", nargs="+")
parser.add_argument("--seed", dest="seeds", type=int, nargs="+", required=True)
parser.add_argument("--count", type=int, required=True)
parser.add_argument("--processes", type=int, required=True)
parser.add_argument("--only", nargs="*")
mutants(**vars(parser.parse_args()))
