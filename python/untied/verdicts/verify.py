"""Check a certificate of ``untied certify``, without untied: ``python verify.py CERTIFICATE QRELS RUN...``.

It reads TREC's files, computes bounds of the difference of two runs over all grades of unjudged documents, and compares
all claims with them. Numbers are integers in units of 2^-80, rounded so that a bound can only become wider; pairs are
(rounded down, rounded up). How claims are checked:

* P, Hits, R, F1, RBP, DCG, and nDCG with one grade: the largest weights are added up again, for every number of
  relevant documents.
* nDCG with several grades: a dynamic program over grades finds no assignment beyond the bound.
* RR, Success, Rprec: computed again; with mean values over ties, each run's ties stand in the worst order.
* AP: the lowest value of one run minus the highest value of the other, for each number of relevant documents; else
  with multipliers in the certificate for pairs of documents about which the runs disagree.
* ERR: all unjudged documents are relevant in one run and non-relevant in the other.
* AP and ERR, where this does not suffice: a tree of cases in the certificate, one document after the other.
* That a bound is reached: with the grades in the certificate.
* The mean, the verdict, the overturn number and largest_m follow from the bounds of the queries. Where these bounds may
  be wider than necessary, both numbers are lower bounds, and are printed as "at least".
* Of bounds that are not claimed to be exact, it says that they are not proved to be reached.

What would take too much time or memory is refused: files of more than 1 GiB, archives that unpack to more than 64 MiB
and 250 times their size, numbers beyond 1e60, steps of a proof beyond the limits below.

Exit codes: 0 if every claim holds; 1 if the certificate is refused, because a claim is not proved, a file is not the
one that was certified, or it is not a certificate; 2 if a file cannot be read.
"""

import hashlib
import json
import re
import struct
import sys
from bisect import bisect
from decimal import Context
from fractions import Fraction
from functools import cache, cached_property
from gzip import GzipFile
from io import BytesIO
from itertools import accumulate, combinations, groupby
from math import isfinite

ONE, NEVER, BEYOND = 1 << 80, -(1 << 400), 10**9
LAST, MARGIN = Fraction(1, 10**10), Fraction(1, 10**9)  # the last place of bounds; what counts as no difference
NEAR = {"AP": Fraction(1, 10**6), "ERR": Fraction(1, 10**6)}  # how close a witness comes to a bound; others: MARGIN
LARGEST, UNPACKED, PROPORTION = 1 << 30, 64 << 20, 250  # the most bytes of a file, of an archive, and times its size
DOCUMENTS, STEPS = 300, 4_000_000  # the most undecided documents of a proof for AP, and steps to an overturn number
NUMBER = r"[+-]?([0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})([eE][+-]?[0-9]{1,3})?"
N, K = r"[0-9]{1,60}(\.[0-9]{1,60})?(e[+-]?[0-9]{1,3})?", "@[1-9][0-9]{0,8}"  # a number, a cutoff
REL, OF_DCG = rf"(\(rel={N}\))?", rf"rel={N}|gain='(linear|exp2)'|discount='(log2|inverse)'"
MEASURE = rf"(P|R|F1){REL}{K}|(Hits|RR|Success|AP){REL}({K})?|Rprec{REL}|n?DCG(\(({OF_DCG}|, )+\))?({K})?"
MEASURE += rf"|RBP(\(((rel|p|max_grade)={N}|, )+\))?({K})?|ERR(\(max_grade={N}\))?({K})?"

# The form of a certificate: patterns of JSON's text; "*" is any key.
TEXT, COUNT, DECIMAL = '".*"', "[0-9]+", r'"-?[0-9]+\.[0-9]{10}"'
QUERY = {end: {"bound": DECIMAL, "witness": r"\{.*\}", "proof": ".*"} for end in ("low", "high")}
CLAIM = {"low": DECIMAL, "high": DECIMAL, "exact": "true|false", "verdict": '"A"|"B"|"open"', "price": COUNT}
CLAIM |= {"overturn": f'"never"|null|{COUNT}', "largest_m": f'"any"|null|{COUNT}', "queries": {"*": QUERY}}
POLICIES = {"ties": '"expected"|"docid"|"trec"|"given"', "score_dtype": '"float64"|"float32"'}
POLICIES |= {"unjudged": '"retrieved"|"pooled"', "unretrieved": '"none"|"pooled"', "most": f"null|{COUNT}"}
FORM = {"certificate": "2", "untied": TEXT, "qrels": TEXT, "runs": {"*": TEXT}, "policies": POLICIES}
FORM |= {"claims": {"*": {"*": {"*": CLAIM}}}}  # run A, run B, measure


class CheckFailed(Exception):
    """A claim that is false, or not proved."""


def require(value, form, where):
    """Refuse a value that has not this form."""
    if isinstance(form, str):
        if not re.fullmatch(form, json.dumps(value)):
            raise CheckFailed(f"{where}: expected {form}, found {json.dumps(value):.80}")
        return
    forms = dict.fromkeys(value, form["*"]) if "*" in form else form
    if type(value) is not dict or not value or value.keys() != forms.keys():
        raise CheckFailed(f"{where}: expected the keys {', '.join(form)}, found {', '.join(map(str, value)) or 'none'}")
    for key, part in value.items():
        require(part, forms[key], f"{where}, {key}")


def once(pairs):
    """Return an object of JSON; readers would differ about a key that is there twice."""
    if len(dict(pairs)) < len(pairs):
        raise CheckFailed(f"expected each key once, found {', '.join(key for key, _ in pairs)}")
    return dict(pairs)


def score(text):
    """Return a number as a float."""
    if not re.fullmatch(NUMBER, text) or not isfinite(float(text)):
        raise ValueError(f"expected a finite number, found {text:.40}")
    return float(text)


@cache
def number(text):
    """Return an exact number."""
    if score(text) and not 1e-60 <= abs(score(text)) <= 1e60:
        raise ValueError(f"expected a number from 1e-60 to 1e60, or 0, found {text:.40}")
    return simple(Fraction(text if score(text) else 0))


def simple(exact):
    """Return an integer if that is the same; integers are much faster than fractions."""
    return exact.numerator if exact.denominator == 1 else exact


def read(path, columns=0, number=0, convert=str):
    """Return the hash of a file and its content, that of a file in TREC's format as {query: {document: number}}."""
    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    numbers, content, most = {}, data, max(UNPACKED, PROPORTION * len(data))
    if data[:2] == b"\x1f\x8b" and len(data) <= LARGEST:
        content = GzipFile(fileobj=BytesIO(data)).read(min(LARGEST, most) + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST:,} bytes, or does not end")
    if len(content) > most:
        raise ValueError(f"it unpacks to more than {UNPACKED >> 20} MiB and {PROPORTION} times its size")
    for place, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n") if columns else (), 1):
        if not line.lstrip().startswith(b"#") and (fields := [field.decode() for field in line.split()]):
            if len(fields) != columns or fields[2] in numbers.setdefault(fields[0], {}):
                raise ValueError(f"line {place}: expected {columns} columns and a new document, found {line[:60]}")
            numbers[fields[0]][fields[2]] = convert(fields[number])
    return hashlib.sha256(data).hexdigest(), numbers if columns else content


def ranked(scores, policies):
    """Return documents in groups of equal scores, best first; each is alone where ties are broken."""
    if policies["ties"] == "trec" or policies["score_dtype"] == "float32":
        scores = {doc: struct.unpack("f", struct.pack("f", score))[0] for doc, score in scores.items()}
    order = list(scores) if policies["ties"] == "given" else sorted(scores, reverse=True)
    order.sort(key=lambda doc: -scores[doc])
    return [list(group) for _, group in groupby(order, scores.get if policies["ties"] == "expected" else None)]


def around(x):
    """Round the discount ``x`` down and up: the error of its 50 digits is far below one unit of ``ONE``."""
    return int(x * ONE) - 1, int(x * ONE) + 2


def over(part, whole):
    """Divide, rounding up; a share of nothing is 0."""
    return -(-part * ONE // whole[part < 0]) if whole[1] > 0 else 0


class Measure:
    """A measure by its name: gains of grades, discounts of ranks."""

    def __init__(self, text, judged, *runs):
        grades = {grade for documents in judged.values() for grade in documents.values() if grade >= 0}
        if not re.fullmatch(MEASURE, text):
            raise CheckFailed(f"{text}: this measure, or these parameters of it, are not known")
        self.name, given = re.match(r"\w+", text)[0], once(re.findall(r"(\w+)='?([^,')]+)", text))
        self.cutoff, of_dcg = int([*text.split("@"), BEYOND][1]), self.name in ("DCG", "nDCG")
        kind = "stop" if self.name == "ERR" else "share" if "max_grade" in given else "linear" if of_dcg else "binary"
        kind, defaults = given.get("gain", kind), {"rel": int(kind == "binary"), "p": "0.8", "max_grade": 4}
        rel, p, most = (number(str(given.get(name, default))) for name, default in defaults.items())
        if not 0 < p < 1 or not 0 < most <= 1000 or (kind in ("exp2", "stop") and max(grades, default=0) > 1000):
            raise CheckFailed(f"{text}: p must be between 0 and 1, max_grade and grades in powers of 2 up to 1000")
        gain = {"binary": lambda g: 1, "linear": lambda g: g, "share": lambda g: Fraction(g, most),
                "exp2": lambda g: (1 << g) - 1, "stop": lambda g: Fraction((1 << g) - 1, 1 << most)}[kind]  # fmt: skip
        digits = Context(prec=50)
        exact, two = digits.divide(*p.as_integer_ratio()), digits.ln(2)
        discounts = {"RBP": lambda i: around(digits.multiply(digits.subtract(1, exact), digits.power(exact, i - 1))),
                     "inverse": lambda i: around(digits.divide(1, i)),
                     "log2": lambda i: around(digits.divide(two, digits.ln(i + 1)))}  # fmt: skip
        own = discounts.get(given.get("discount", "log2") if of_dcg else self.name, lambda i: (ONE, ONE))
        self.gain = cache(lambda grade: simple(gain(grade)) if grade >= rel and grade > 0 else 0)
        self.open = {grade for grade in grades if grade > 0}  # grades that unknown documents may have
        self.open |= set() if any(map(self.gain, self.open)) else {max(rel, 1)}
        self.levels = sorted({self.gain(grade) for grade in self.open} - {0})
        self.top, self.is_chain = self.levels[-1], self.name == "nDCG" and len(self.levels) > 1
        if kind in ("share", "stop") and ("rel" in given or self.top > 1):
            raise CheckFailed(f"{text}: its parameters, or its gains of these grades, are not covered")
        scale = self.top if self.name == "DCG" else 1
        self.near, self.margin = NEAR.get(self.name, MARGIN) * scale * ONE, MARGIN * scale * ONE // 1
        longest = sum(max(map(len, content.values()), default=0) for content in (judged, *runs))
        discounts = map(own, range(1, min(self.cutoff, longest) + 1))
        ideal = list(accumulate(discounts, lambda x, y: (x[0] + y[0], x[1] + y[1]), initial=(0, 0)))
        # The sum of the discounts of ranks up to this one.
        self.upto = lambda rank: ideal[min(rank, len(ideal) - 1)]


class Question:
    """Two rankings of a query: what is known of their documents, and what A less B cannot exceed."""

    def __init__(self, m, judged, a, b, policies):
        retrieved = {doc for side in (a, b) for group in side for doc in group}
        pooled = {doc for doc, grade in judged.items() if grade < 0}
        kept = pooled if policies["unjudged"] == "pooled" else retrieved - judged.keys() | pooled
        self.m, self.judged, self.a, self.b, self.policies = m, judged, a, b, policies
        self.unknown = sorted(kept & retrieved)
        self.free = sorted(pooled - retrieved) if policies["unretrieved"] == "pooled" else []
        self.gains = {doc: m.gain(judged.get(doc, 0)) for doc in retrieved - kept}
        self.sure = [gain for gain in map(m.gain, judged.values()) if gain]  # of documents known to be relevant
        self.all, self.relevant = len(self.unknown) + len(self.free), len(self.sure)
        self.most = self.all if policies["most"] is None else min(self.all, policies["most"])

    @cached_property
    def ceilings(self):
        """What cannot be exceeded with at most 0, 1, 2, ... unknown documents relevant; more change nothing."""
        named = {"RR": self.first, "Success": self.first, "Rprec": self.at_moving_cutoff, "AP": self.precisions}
        return list(accumulate((named | {"ERR": self.stopping}).get(self.m.name, self.sums)(), max))

    def judging(self, grades, reverse=False):
        """Return the same question where more documents are judged, perhaps that of B less A."""
        return Question(self.m, self.judged | grades, *(self.a, self.b)[:: -1 if reverse else 1], self.policies)

    def proves(self, limit, proof):
        """Whether A less B is at most this. Of a tree [document, without it, with it], each branch has it judged."""
        if isinstance(proof, list) and self.m.name in ("AP", "ERR"):
            doc, *branches = proof
            several = zip([self.judging({doc: grade}) for grade in (0, max(self.m.open))], branches, strict=True)
            return doc in self.unknown and all(question.proves(limit, branch) for question, branch in several)
        if self.m.is_chain:
            return self.chain(limit)
        may = self.m.name == "AP" and (self.relevant > 0 or limit >= 0)  # AP of nothing is 0
        return self.ceilings[: self.most + 1][-1] <= limit or (may and never_positive(proof, *self.program(limit)))

    def reaches(self, limit, witness):
        """Whether A leads by at least ``limit`` with the grades in ``witness``, other unknown documents having 0."""
        grades, given = {str(grade): grade for grade in self.m.open}, dict.fromkeys([*self.unknown, *self.free], 0)
        relevant = {doc: grades.get(grade) for grade, docs in witness.items() for doc in docs}
        are_open = relevant.keys() <= given.keys() and None not in relevant.values() and len(relevant) <= self.most
        return are_open and self.judging(given | relevant, reverse=True).proves(-limit, {})

    def lowered(self, limit):
        """Return ceilings, none above a limit of any number of documents, if that is one."""
        return self.ceilings if self.most < self.all else [min(x, max(limit, self.ceilings[0])) for x in self.ceilings]

    def spans(self, ranking):
        """Return the first and the last rank that each document can have."""
        ends = zip(ranking, accumulate(map(len, ranking)))
        return {doc: (end - len(group) + 1, end) for group, end in ends for doc in group}

    def ranks(self, ranking, last=False):
        """Return the first, or last, rank that each document can have, as far as that is within the cutoff."""
        return {doc: span[last] for doc, span in self.spans(ranking).items() if span[last] <= self.m.cutoff}

    def weights(self, ranking):
        """Return discounts of documents, of tied ones the mean over their group."""
        bounds = {}
        for doc, (first, last) in self.spans(ranking).items():
            low, high = (x - y for x, y in zip(self.m.upto(last), self.m.upto(first - 1)))
            bounds[doc] = low // (last - first + 1), -(-high // (last - first + 1))
        return bounds

    def parts(self):
        """Return the sum of what is known, and what 0, 1, 2, ... unknown documents of gain 1 add at most."""
        a, b = self.weights(self.a), self.weights(self.b)
        weigh = lambda doc: a.get(doc, (0, 0))[1] - b.get(doc, (0, 0))[0]
        known = sum(gain * weigh(doc) for doc, gain in self.gains.items() if gain)
        return known, list(accumulate(sorted([*map(weigh, self.unknown), *[0] * len(self.free)])[::-1], initial=0))

    def norm(self, R):
        """Return the divisor of a sum of gains if R documents are relevant and all have the largest gain."""
        if self.m.name == "nDCG":
            return [end * self.m.top for end in self.m.upto(R)]
        return [{"P": 2 * self.m.cutoff, "R": 2 * R, "F1": self.m.cutoff + R}.get(self.m.name, 2) * ONE // 2] * 2

    def sums(self):
        """Take the largest weights: the norm depends on nothing but how many documents are relevant."""
        known, most = self.parts()
        return [over(known + self.m.top * part, self.norm(self.relevant + n)) for n, part in enumerate(most)]

    def chain(self, limit):
        """Whether N - limit Z is never above 0 over numbers m_1 >= m_2 >= ... of unknown documents of each gain."""
        (known, most), rest = self.parts(), [0] * (self.most + 1)
        for level, below in reversed([*zip(self.m.levels, [0, *self.m.levels])]):
            here = sum(gain >= level for gain in self.sure)
            wholes = (self.m.upto(here + n)[limit < 0] for n in range(self.most + 1))
            values = ((level - below) * (most[n] * ONE - limit * one) + rest[n] for n, one in enumerate(wholes))
            rest = list(accumulate(values, max))
        return known * ONE + rest[-1] <= 0 and (self.relevant > 0 or limit >= 0)  # of nothing relevant nDCG is 0

    def first(self):
        """Take one document: of several only the one that A ranks first would count in A."""
        a, b = self.ranks(self.a), self.ranks(self.b, last=True)
        value = lambda side, doc: ONE // (side[doc] if self.m.name == "RR" else 1) if doc in side else 0
        in_a, in_b = (max([0, *(value(side, doc) for doc, gain in self.gains.items() if gain)]) for side in (a, b))
        one = (max(in_a, value(a, doc)) - max(in_b, value(b, doc)) + 1 for doc in self.unknown)
        return [in_a - in_b + 1, max(one, default=NEVER)]  # 1: how 1 / rank is rounded

    def at_moving_cutoff(self):
        """Count hits within R: documents that only A has there weigh 1, those that only B has -1, all others 0."""
        sides, weights = (self.ranks(self.a), self.ranks(self.b, last=True)), []
        known = [[side.get(doc, BEYOND) for doc, gain in self.gains.items() if gain] for side in sides]
        unknown = [[side.get(doc, BEYOND) for doc in self.unknown] for side in sides]
        ranks = [*map(sorted, (*known, *unknown, map(max, *unknown)))]
        for n in range(self.all + 1):
            in_a, in_b, plus, minus, both = (bisect(some, self.relevant + n) for some in ranks)
            hits = in_a - in_b + min(n, plus - both) - max(0, n - self.all + minus - both)
            weights.append(over(hits, [self.relevant + n] * 2))
        return weights

    def stopping(self):
        """Let all that may stop the user of ERR stop that of A, at its first rank, and not that of B."""
        most = 0
        for sign, ranks, unknown in ((1, self.ranks(self.a), self.m.top), (-1, self.ranks(self.b, last=True), 0)):
            go_on = ONE
            for rank, stop in ((rank, self.gains.get(doc, unknown)) for doc, rank in ranks.items()):
                most, go_on = most + sign * go_on * stop // rank + 2, go_on * (1 - stop) // 1  # 2: how they are rounded
        return [most]

    def precisions(self):
        """Take the largest sum of precisions in A less the smallest in B, chosen apart, over R.

        In A the first unknown documents are relevant, in B the last. Ties stand in the best order of A, the worst of B.
        """
        sides = []
        for ranking, order, above, below, up in ((self.a, "+x-", "+x", "+", 1), (self.b, "-x+", "+", "+x", 0)):
            kind = lambda doc: "x" if doc not in self.gains else "+" if self.gains[doc] else "-"
            kinds = [one for group in ranking for one in sorted(map(kind, group), key=order.index)][: self.m.cutoff]
            relevant = [rank for rank, one in enumerate(kinds, 1) if one == "+"]
            hits, after, values = [0, *accumulate(one in above for one in kinds)], 0, []
            for rank in range(len(kinds), 0, -1):
                inverse = ONE // rank + up
                if kinds[rank - 1] == "x":  # what it adds by itself, and to those that are relevant below
                    values.append((1 + hits[rank - 1]) * inverse + after)
                after += inverse * (kinds[rank - 1] in below)
            lack = [0] * (self.all - len(values))
            known = sum(n * (ONE // rank + up) for n, rank in enumerate(relevant, 1))
            sides.append(accumulate(values[::-1] + lack if up else lack + values, initial=known))
        return [over(a - b, [(self.relevant + n) * ONE] * 2) for n, (a, b) in enumerate(zip(*sides))]

    def program(self, limit):
        """Return N - limit R of AP: a constant, what documents add alone, and in pairs, all rounded up."""
        a, b = self.ranks(self.a), self.ranks(self.b, last=True)
        docs = sorted({*self.unknown} & (a.keys() | b.keys()), key=lambda x: (a.get(x, BEYOND) + b.get(x, BEYOND), x))
        if len(docs) > DOCUMENTS:
            raise CheckFailed(f"a proof about {len(docs):,} unjudged documents would take too long")
        relevant = [doc for doc, gain in self.gains.items() if gain]
        inverse = lambda side, x, y, up: ONE // max(side[x], side[y]) + up if x in side and y in side else 0
        pair = lambda x, y: inverse(a, x, y, 1) - inverse(b, x, y, 0)
        const = sum(pair(x, y) for n, x in enumerate(relevant, 1) for y in relevant[:n])
        const -= limit * self.relevant + min(0, limit) * (self.all - len(docs))
        alone = {x: pair(x, x) + sum(pair(x, y) for y in relevant) - limit for x in docs}
        return const, alone, {x: {y: pair(x, y) for y in docs} for x in docs}


def decided(const, alone, pairs):
    """Decide documents of which one choice is best whatever the others are."""
    before = len(alone)
    for x in list(alone):
        gains = [pairs[x][y] for y in alone if y != x]
        on = alone[x] + sum(gain for gain in gains if gain < 0) >= 0
        if on or alone[x] + sum(gain for gain in gains if gain > 0) <= 0:
            const += on * alone[x]
            alone = {y: gain + on * pairs[x][y] for y, gain in alone.items() if y != x}
    return decided(const, alone, pairs) if len(alone) < before else (const, alone)


def never_positive(shares, const, alone, pairs):
    """Whether const + what chosen documents add alone and in pairs is never above 0.

    Of what the pair x, y adds beyond what y adds to any before it, x has the share "x y", in millionths.
    """
    (const, alone), best = decided(const, alone, pairs), [0]
    for x, y in combinations(alone, 2):  # y adds the same with all before it, if the rankings agree about their order
        rest = pairs[x][y] - pairs[y][y]
        share = rest * min(10**6, max(0, int(shares.get(f"{x} {y}", 500_000 if rest > 0 else 300_000)))) // 10**6
        alone[x], alone[y] = alone[x] + share, alone[y] + (rest - share if rest > 0 else share)
        const -= min(0, share)
    for y, own in alone.items():
        taken = [before + own + pairs[y][y] * n for n, before in enumerate(best)]
        best = list(map(max, [*best, NEVER], [NEVER, *taken]))
    return const + max(best) <= 0


def least(queries, most, price):
    """Return the least total of documents, up to `most`, with which the sum of queries' values is not below 0, or None.

    At any price of a document, values less prices are bounded, so numbers that lose more than is to spare are out.
    """
    tops = [max(value - price * n for n, value in enumerate(values)) for values in queries]
    best, steps = [0] + [NEVER] * most, 0
    for top, values in zip(tops, queries):
        some = [(n, value) for n, value in enumerate(values) if top - value + price * n <= sum(tops) + price * most]
        steps += len(some) * most
        if steps > STEPS:
            raise CheckFailed(f"a proof of overturn number {most:,} would take too long")
        best = [max([best[x - n] + value for n, value in some if n <= x], default=NEVER) for x in range(most + 1)]
    return next((x for x, value in enumerate(best) if value >= 0), None)


def standing(upto, told, price):
    """Return the overturn number of both runs' ceilings, None if it is another than told; and the largest m."""
    behind = next((side for side in reversed(upto) if sum(values[0] for values in side) < 0), None)
    if not behind:
        return 0, None
    reach = [sum(values[: n + 1][-1] for values in behind) for n in range(max(map(len, behind)))]
    largest = next((n - 1 for n, value in enumerate(reach) if value >= 0), "any")
    most = min(told if isinstance(told, int) else 0, sum(map(len, behind)))
    return "never" if largest == "any" else least(behind, most, price), largest


def check(name, claim, judged, a, b, policies):
    """Check what a certificate says of two runs in a measure; return the claim in words."""
    m, sums, upto, is_tied = Measure(name, judged, a, b), [0, 0], ([], []), False
    if claim["queries"].keys() != judged.keys():
        raise CheckFailed("its queries differ from those of the qrels")
    for query, documents in judged.items():
        rankings = [ranked(run.get(query, {}), policies) for run in (a, b)]
        is_tied = is_tied or any(len(group) > 1 for ranking in rankings for group in ranking)
        for end, (side, sign) in enumerate((("low", -1), ("high", 1))):
            told, q = claim["queries"][query][side], Question(m, documents, *rankings[::sign], policies)
            bound = Fraction(told["bound"])
            limit, sums[end] = sign * bound * ONE // 1, sums[end] + bound
            if not q.proves(limit, told["proof"]):
                raise CheckFailed(f"query {query}: the proof allows a difference beyond {told['bound']}")
            if claim["exact"] and not q.reaches(limit - m.near, told["witness"]):
                raise CheckFailed(f"query {query}: the grades given do not reach {told['bound']}")
            upto[end].append([value + m.margin for value in q.lowered(limit)])
    low, high = Fraction(claim["low"]), Fraction(claim["high"])
    if not 0 <= sums[0] / len(judged) - low < LAST or not 0 <= high - sums[1] / len(judged) < LAST:
        raise CheckFailed("a bound of the mean is not the mean of the queries' bounds, rounded outwards")
    right, has_steps = "A" if low > 0 else "B" if high < 0 else "open", not m.is_chain and m.name != "ERR"
    right = right, *(standing(upto, claim["overturn"], claim["price"]) if has_steps else (None, None))
    if right != (claim["verdict"], claim["overturn"], claim["largest_m"]):
        raise CheckFailed("verdict, overturn, largest_m: by the bounds of queries, they are {}, {}, {}".format(*right))
    # Ceilings of sums of weights are reached, those of RR, Success and Rprec if nothing is tied.
    least = "at least " * (m.name == "AP" or (is_tied and m.name in ("RR", "Success", "Rprec")))
    told = {key: claim[key] for key in ("verdict", "low", "high", "overturn", "largest_m") if claim[key] is not None}
    words = [f"{key} {least * isinstance(value, int)}{value}" for key, value in told.items()]
    return ", ".join(words + ["bounds not proved to be reached"] * (not claim["exact"]))


def main(arguments):
    """Check a certificate, and print the result with safe characters only."""
    say = lambda text, file=None: print("".join(c if c.isprintable() else "?" for c in text), file=file)
    about, forms = "arguments", [(), (4, 3, number), *[(6, 4, score)] * len(arguments)]
    try:
        files = [read(about := path, *form) for path, form in zip(arguments, forms)]
        about, ((_, text), (digest, judged), *runs) = "arguments", files
    except Exception as error:
        say(f"bad input: {about}: {error}; expected CERTIFICATE QRELS RUN..., plain or packed by gzip", sys.stderr)
        return 2
    about, names, runs = arguments[0], {of: path for (of, _), path in zip(runs, arguments[2:])}, dict(runs)
    try:
        told = json.loads(text, object_pairs_hook=once)
        require(told, FORM, "certificate")
        if told["qrels"] != digest:
            raise CheckFailed("the hash of the qrels differs from that in the certificate")
        for name, of in told["runs"].items():
            if of not in names:
                raise CheckFailed(f"run {name}: none of {', '.join(names.values())} has its hash in the certificate")
        say("policies: " + ", ".join(f"{name} {'any' if of is None else of}" for name, of in told["policies"].items()))
        say("runs: " + ", ".join(f"{name} is {names[of]}" for name, of in told["runs"].items()))
        for of in names.keys() - told["runs"].values():
            say(f"not in the certificate: {names[of]}")
        pairs = [(a, b, of_pair) for a, of_run in told["claims"].items() for b, of_pair in of_run.items()]
        for a, b, name, claim in ((a, b, *claim) for a, b, claims in pairs for claim in claims.items()):
            about = f"{a} {b} {name}"
            a, b = (runs[told["runs"][run]] for run in (a, b))
            say(f"verified: {about}: {check(name, claim, judged, a, b, told['policies'])}")
    except Exception as error:  # whatever is not as it should be is no proof
        say(f"refused: {about}: {error if isinstance(error, CheckFailed) else f'malformed: {error!r}'}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
