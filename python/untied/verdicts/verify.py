"""Check a certificate of ``untied certify``, without untied: ``python verify.py CERTIFICATE QRELS RUN...``.

It reads TREC's files, computes bounds of the difference of two runs over all grades of unjudged documents, and compares
all claims with them. Numbers are integers in units of 2^-80, rounded so that a bound can only become wider; pairs are
(rounded down, rounded up).

Exit codes: 0 if every claim that can be checked holds (the others are named); 1 if the certificate is refused, because
a claim is not proved, a file is not the one that was certified, or it is not a certificate; 2 if a file cannot be read.
"""

import gzip
import hashlib
import json
import re
import struct
import sys
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import accumulate, groupby

ONE, NEVER, BEYOND, STEPS = 1 << 80, -(1 << 400), 10**9, 4_000_000  # STEPS: of the search for an overturn number
UNITS, MARGIN = 10**10, Fraction(1, 10**9)  # of decimals in 1; what counts as no difference
NEAR = {"AP": Fraction(1, 10**6), "ERR": Fraction(1, 10**6)}  # how close a witness comes to a bound; others: MARGIN
ADDITIVE, SEARCHED = ("P", "Hits", "R", "F1", "RBP", "DCG", "nDCG"), ("AP", "ERR")
N, K = r"[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,3})?", "@[1-9][0-9]*"  # a number, a cutoff
REL, OF_DCG = rf"(\(rel={N}\))?", rf"rel={N}|gain='(linear|exp2)'|discount='(log2|inverse)'"
MEASURE = rf"(P|R|F1){REL}{K}|(Hits|RR|Success|AP){REL}({K})?|Rprec{REL}|n?DCG(\(({OF_DCG}|, )+\))?({K})?"
MEASURE += rf"|RBP(\(((rel|p|max_grade)={N}|, )+\))?({K})?|ERR(\(max_grade={N}\))?({K})?"

# The form of a certificate: patterns of JSON's text; [x] is a list of any length, [x, y] one of two; "*" is any key.
TEXT, COUNT, WHETHER, DECIMAL = '".*"', "[0-9]+", "true|false", r'"-?[0-9]+\.[0-9]{10}"'
QUERY = {"bounds": [DECIMAL] * 2, "witnesses": [[[N, [TEXT], COUNT]]] * 2, "proofs": [".*"] * 2}
CLAIM = {"a": TEXT, "b": TEXT, "measure": TEXT, "low": DECIMAL, "high": DECIMAL, "exact": WHETHER}
CLAIM |= {"verdict": '"A"|"B"|"open"', "overturn": f'"never"|{COUNT}', "overturn_exact": WHETHER}
CLAIM |= {"largest_m": f'"any"|null|{COUNT}', "queries": {"*": QUERY}}
POLICIES = {"ties": '"expected"|"docid"|"trec"|"given"', "score_dtype": '"float64"|"float32"'}
POLICIES |= {"unjudged": '"retrieved"|"pooled"', "unretrieved": '"none"|"pooled"', "most": f"null|{COUNT}"}
FORM = {"certificate": "1", "untied": TEXT, "qrels": TEXT, "runs": {"*": TEXT}, "policies": POLICIES, "claims": [CLAIM]}


class Refused(Exception):
    """A claim that is false, or not proved."""


def require(value, form, where):
    """Refuse a value that has not this form."""
    if isinstance(form, str):
        if not re.fullmatch(form, json.dumps(value)):
            raise Refused(f"{where}: expected {form}, found {json.dumps(value):.80}")
        return
    if type(value) is not type(form):
        raise Refused(f"{where}: expected a {type(form).__name__}, found {json.dumps(value):.80}")
    form = form * len(value) if isinstance(form, list) and len(form) == 1 else form
    parts, forms = (dict(enumerate(x)) if isinstance(x, list) else x for x in (value, form))
    forms = dict.fromkeys(parts, forms["*"]) if "*" in forms else forms
    if parts.keys() != forms.keys():
        lacks, more = (", ".join(sorted(map(str, keys))) for keys in (forms.keys() - parts, parts.keys() - forms))
        raise Refused(f"{where}: {f'lacks {lacks}' if lacks else f'found {more}, which is not known'}")
    for key, part in parts.items():
        require(part, forms[key], f"{where}, {key}")


def once(pairs):
    """Return an object of JSON; readers would differ about a key that is there twice."""
    if len(dict(pairs)) < len(pairs):
        raise Refused(f"expected each key once, found {', '.join(key for key, _ in pairs)}")
    return dict(pairs)


@cache
def number(text):
    """Return an exact number; integers are much faster than fractions."""
    exact = Fraction(text)
    return exact.numerator if exact.denominator == 1 else exact


def units(decimal):
    """Return a decimal of a claim in units of its last place."""
    return int(decimal.replace(".", ""))


def read(path, columns=0, number=0, convert=str):
    """Return the hash of a file and its content, that of a file in TREC's format as {query: {document: number}}."""
    with open(path, "rb") as file:
        data = file.read()
    found, content = {}, gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    for place, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n") if columns else (), 1):
        fields = [field.decode() for field in line.split()]
        if fields and (len(fields) != columns or fields[2] in found.setdefault(fields[0], {})):
            raise ValueError(f"{path}, line {place}: expected {columns} columns and a new document, found {fields}")
        if fields:
            found[fields[0]][fields[2]] = convert(fields[number])
    return hashlib.sha256(data).hexdigest(), found if columns else content


def ranked(scores, ties, dtype):
    """Return documents in groups of equal scores, best first; each is alone where ties are broken."""
    if ties == "trec" or dtype == "float32":
        scores = {doc: struct.unpack("f", struct.pack("f", score))[0] for doc, score in scores.items()}
    order = list(scores) if ties == "given" else sorted(scores, reverse=True)
    order.sort(key=lambda doc: -scores[doc])
    return [list(group) for _, group in groupby(order, scores.get if ties == "expected" else None)]


def pair(x):
    """Round a fraction down and up."""
    return x.numerator * ONE // x.denominator, -(-x.numerator * ONE // x.denominator)


def around(x):
    """Bound a quotient of logarithms: its 28 digits are wrong by far less than a unit."""
    return int(x * ONE) - 1, int(x * ONE) + 2


def over(part, whole):
    """Divide, rounding up; a share of nothing is 0."""
    return -(-part * ONE // whole[part < 0]) if whole[1] > 0 else 0


class Measure:
    """A measure by its name: gains of grades, discounts of ranks, and what a sum is divided by."""

    def __init__(self, text, judged, *runs):
        grades = {grade for documents in judged.values() for grade in documents.values() if grade >= 0}
        if not re.fullmatch(MEASURE, text):
            raise Refused(f"{text}: this measure, or these parameters of it, are not known")
        self.name, given = re.match(r"\w+", text)[0], once(re.findall(r"(\w+)='?([^,')]+)", text))
        self.cutoff, by = int([*text.split("@"), BEYOND][1]), given.get("discount", "log2")
        graded = self.name in ("DCG", "nDCG", "ERR") or "max_grade" in given
        defaults = {"rel": 0 if graded else 1, "p": "0.8", "max_grade": 4}
        rel, p, most = (number(given.get(name, default)) for name, default in defaults.items())
        kind = {"RBP": "share", "ERR": "stop"}.get(self.name, given.get("gain", "linear")) if graded else "binary"
        gains = {"binary": lambda g: 1, "linear": lambda g: g, "share": lambda g: Fraction(g, most),
                 "exp2": lambda g: 2**g - 1, "stop": lambda g: Fraction(2**g - 1, 2**most)}  # fmt: skip
        discounts = {"RBP": lambda i: pair((1 - p) * p ** (i - 1)), "inverse": lambda i: pair(Fraction(1, i))}
        discounts["log2"] = lambda i: around(Decimal(2).ln() / Decimal(i + 1).ln())
        whole, capped = (grades | {most} if kind in some else {0} for some in (("exp2", "stop"), ("share", "stop")))
        if any(g % 1 for g in whole) or max(capped) > most or not 0 < p < 1:
            raise Refused(f"{text}: its parameters, or its gains of these grades, are not covered")
        gain, own = gains[kind], discounts[by] if self.name in ("DCG", "nDCG") else discounts.get(self.name)
        self.gain = cache(lambda grade: number(gain(grade)) if grade >= rel and grade > 0 else 0)
        self.open = {grade for grade in grades if grade > 0} or {1}  # grades that unknown documents may have
        self.open |= {max(self.open | {1, rel})} if kind in ("binary", "stop") else set()
        self.levels = sorted({self.gain(grade) for grade in self.open} - {0})
        self.top, self.is_chain = self.levels[-1], self.name == "nDCG" and len(self.levels) > 1
        self.scale = Fraction(1 if self.name == "nDCG" else max(1, self.top))
        longest = sum(max(map(len, content.values()), default=0) for content in (judged, *runs))
        self.discounts = [own(rank) if own else (ONE, ONE) for rank in range(1, min(self.cutoff, longest) + 1)]
        self.ideal = list(accumulate(self.discounts, lambda x, y: (x[0] + y[0], x[1] + y[1]), initial=(0, 0)))

    def norm(self, R):
        """Return what a sum of gains is divided by if so many documents are relevant and all gain the most."""
        if self.name == "nDCG":
            return [end * self.top for end in self.ideal[min(R, len(self.ideal) - 1)]]
        return [{"P": 2 * self.cutoff, "R": 2 * R, "F1": self.cutoff + R}.get(self.name, 2) * ONE // 2] * 2


class Question:
    """Two rankings of a query: what is known of their documents, and what A less B cannot exceed."""

    def __init__(self, m, judged, a, b, policies):
        retrieved = {doc for side in (a, b) for group in side for doc in group}
        pooled = {doc for doc, grade in judged.items() if grade < 0}
        kept = pooled if policies["unjudged"] == "pooled" else retrieved - judged.keys() | pooled
        self.m, self.a, self.b, self.unknown = m, a, b, sorted(kept & retrieved)
        self.gains = {doc: m.gain(judged.get(doc, 0)) for doc in retrieved - kept}
        self.judged = [gain for gain in map(m.gain, judged.values()) if gain]
        self.free = len(pooled - retrieved) if policies["unretrieved"] == "pooled" else 0
        self.all, self.relevant = len(self.unknown) + self.free, len(self.judged)
        self.most = self.all if policies["most"] is None else min(self.all, policies["most"])
        self.is_tied = any(len(group) > 1 for side in (a, b) for group in side)

    def ceilings(self):
        """Return what cannot be exceeded with at most 0, 1, 2, ... unknown documents relevant; more change nothing."""
        named = {"RR": self.first, "Success": self.first, "Rprec": self.at_moving_cutoff, "AP": self.precisions}
        return list(accumulate(named.get(self.m.name, self.sums)(), max))

    def proves(self, limit, proof, values):
        """Whether A less B is at most this."""
        if self.m.is_chain or self.m.name == "ERR":
            return self.chain(limit) if self.m.is_chain else not self.is_tied and self.cascade(limit, proof, {})
        may = self.m.name == "AP" and not self.is_tied and (self.relevant > 0 or limit >= 0)  # AP of nothing is 0
        return values[min(self.most, len(values) - 1)] <= limit or (may and never_positive(proof, *self.program(limit)))

    def lowered(self, values, limit):
        """Return ceilings, none above a limit of any number of documents, if that is one."""
        return [min(value, max(limit, values[0])) for value in values] if self.most == self.all else values

    def ranks(self, ranking, last=False):
        """Return the first, or last, rank that each document can have, as far as that is within the cutoff."""
        stops = zip(ranking[: self.m.cutoff], accumulate(map(len, ranking)))
        found = {doc: stop if last else stop - len(group) + 1 for group, stop in stops for doc in group}
        return {doc: rank for doc, rank in found.items() if rank <= self.m.cutoff}

    def weights(self, ranking):
        """Return discounts of documents, of tied ones the mean over their group."""
        if not self.is_tied:
            return {doc: discount for (doc,), discount in zip(ranking, self.m.discounts)}
        found, rank = {}, 0
        for group in ranking[: len(self.m.discounts)]:
            here, rank = self.m.discounts[rank : rank + len(group)], rank + len(group)
            mean = sum(low for low, _ in here) // len(group), -(-sum(high for _, high in here) // len(group))
            found.update(dict.fromkeys(group, mean))
        return found

    def parts(self):
        """Return the sum of what is known, and what 0, 1, 2, ... unknown documents of gain 1 add at most."""
        a, b = self.weights(self.a), self.weights(self.b)
        weigh = lambda doc: a.get(doc, (0, 0))[1] - b.get(doc, (0, 0))[0]
        known = sum(gain * weigh(doc) for doc, gain in self.gains.items() if gain)
        return known, list(accumulate(sorted([*map(weigh, self.unknown), *[0] * self.free], reverse=True), initial=0))

    def sums(self):
        """Take the largest weights: the norm depends on nothing but how many documents are relevant."""
        known, most = self.parts()
        return [over(known + self.m.top * part, self.m.norm(self.relevant + n)) for n, part in enumerate(most)]

    def chain(self, limit):
        """Whether N - limit Z is never above 0 over numbers m_1 >= m_2 >= ... of unknown documents of each gain."""
        (known, most), rest = self.parts(), [0] * (self.most + 1)
        for level, below in reversed([*zip(self.m.levels, [0, *self.m.levels])]):
            here, best, values = sum(gain >= level for gain in self.judged), NEVER, []
            for n in range(self.most + 1):
                whole = self.m.ideal[min(here + n, len(self.m.ideal) - 1)][limit < 0]
                may = n or here or level > self.m.levels[0]  # where nothing is relevant the value is 0, by convention
                best = max(best, (level - below) * (most[n] * ONE - limit * whole) + rest[n]) if may else NEVER
                values.append(best)
            rest = values
        return known * ONE + rest[-1] <= 0 and (self.relevant > 0 or limit >= 0)

    def first(self):
        """Take one document: of several only the one that A ranks first would count in A."""
        a, b = self.ranks(self.a), self.ranks(self.b, last=True)
        value = lambda side, doc: ONE // (side[doc] if self.m.name == "RR" else 1) if doc in side else 0
        in_a, in_b = (max([0, *(value(side, doc) for doc, gain in self.gains.items() if gain)]) for side in (a, b))
        one = (max(in_a, value(a, doc)) - max(in_b, value(b, doc)) + 1 for doc in self.unknown)
        return [in_a - in_b + 1, max(one, default=NEVER)]  # 1: how 1 / rank is rounded

    def at_moving_cutoff(self):
        """Count hits within R: documents that only A has there weigh 1, those that only B has -1, all others 0."""
        a, b, beyond = self.ranks(self.a), self.ranks(self.b, last=True), self.relevant + self.all + 1
        known, plus, minus = ([0] * (beyond + 1) for _ in range(3))
        for doc in a.keys() | b.keys():
            x, y = min(a.get(doc, beyond), beyond), min(b.get(doc, beyond), beyond)
            counts = known if doc in self.gains else plus if x < y else minus
            step = self.gains[doc] > 0 if doc in self.gains else 1 if x < y else -1
            counts[x] += step
            counts[y] -= step
        known, plus, minus = (list(accumulate(counts)) for counts in (known, plus, minus))
        hits = lambda n, at: known[at] + min(n, plus[at]) - max(0, n - self.all + minus[at])
        return [over(hits(at - self.relevant, at), (at, at)) for at in range(self.relevant, beyond)]

    def precisions(self):
        """Take the largest sum of precisions in A less the smallest in B, chosen apart, over R."""
        sides = []
        for ranking, order, up in ((self.a, "+x-", 1), (self.b, "-x+", 0)):  # ties: the best order of A, the worst of B
            kind = lambda doc: "x" if doc not in self.gains else "+" if self.gains[doc] else "-"
            kinds = [one for group in ranking for one in sorted(map(kind, group), key=order.index)]
            hits, after, known, found = [0, *accumulate(one == "+" for one in kinds)], 0, 0, []
            for rank in range(min(len(kinds), self.m.cutoff), 0, -1):
                inverse = ONE // rank + up
                if kinds[rank - 1] == "x":  # alone, and with each further one: above it in A, below it in B
                    found.append(((1 + hits[rank]) * inverse + after, inverse))
                elif kinds[rank - 1] == "+":
                    known, after = known + hits[rank] * inverse, after + inverse
            lack, below = [0] * (self.all - len(found)), accumulate((inverse for _, inverse in found), initial=0)
            gains = [gain + n * inverse for n, (gain, inverse) in enumerate(reversed(found))] + lack
            gains = gains if up else lack + [gain + met for (gain, _), met in zip(found, below)]
            sides.append(accumulate(gains, initial=known))
        return [over(a - b, [(self.relevant + n) * ONE] * 2) for n, (a, b) in enumerate(zip(*sides))]

    def program(self, limit):
        """Return N - limit R of AP: a constant, what documents add alone, what pairs add, all rounded up; an order."""
        a, b = self.ranks(self.a), self.ranks(self.b)
        docs = [doc for doc in self.unknown if doc in a or doc in b]
        known = [sorted(side[doc] for doc, gain in self.gains.items() if gain and doc in side) for side in (a, b)]
        a, b = ({x: side.get(doc, BEYOND) for x, doc in enumerate(docs)} for side in (a, b))
        inverse = lambda rank, up: ONE // rank + up if rank < BEYOND else 0
        add = lambda here, rank, up: inverse(rank, up) + sum(inverse(max(rank, other), up) for other in here)
        total = lambda here, up: sum(n * inverse(rank, up) for n, rank in enumerate(here, 1))
        const = total(known[0], 1) - total(known[1], 0) - limit * self.relevant - min(0, limit) * (self.all - len(docs))
        alone = {x: add(known[0], a[x], 1) - add(known[1], b[x], 0) - limit for x in a}
        pairs = [[inverse(max(a[x], a[y]), 1) - inverse(max(b[x], b[y]), 0) for y in a] for x in a]
        return const, alone, pairs, lambda x: (a[x] + b[x], a[x], x)

    def cascade(self, limit, tree, decided):
        """Whether ERR is not above a limit: what may stop the user stops that of A and not that of B, if undecided.

        A node is [document, without it, with it]; anything else is a leaf.
        """
        if isinstance(tree, list):
            branches = zip(tree[1:], (0, self.m.top), strict=True)
            return all(self.cascade(limit, node, decided | {tree[0]: gain}) for node, gain in branches)
        a, b = (dict.fromkeys(self.unknown, gain) | decided | self.gains for gain in (self.m.top, 0))
        return self.score(self.a, a, [])[1] - self.score(self.b, b, [])[0] <= limit

    def score(self, ranking, gains, relevant):
        """Return a ranking's value, rounded down and up, with these gains of documents; `relevant` has those of all."""
        m, R, value, go_on = self.m, len(relevant), 0, ONE
        if m.name in ADDITIVE:
            found = [(gains[doc], weight) for doc, weight in self.weights(ranking).items() if doc in gains]
            best = list(zip(sorted(relevant, reverse=True), m.discounts))
            part, whole = ([sum(gain * one[end] for gain, one in some) for end in (0, 1)] for some in (found, best))
            whole = whole if m.name == "nDCG" else m.norm(R)
            return -over(-part[0], whole), over(part[1], whole)
        at = [(rank, gains[doc]) for doc, rank in self.ranks(ranking).items() if gains.get(doc)]
        if m.name not in SEARCHED:
            first = Fraction(bool(at), at[0][0] if at and m.name == "RR" else 1)
            return pair(Fraction(sum(rank <= R for rank, _ in at), max(1, R)) if m.name == "Rprec" else first)
        for n, (rank, stop) in enumerate(at, 1):
            value += n * ONE // (rank * R) if m.name == "AP" else go_on * stop // rank
            go_on = go_on * (1 - stop) // 1
        return value, value + 2 * len(at)

    def reached(self, witness):
        """Return what A is at least ahead with these grades of unknown documents, the others being non-relevant."""
        docs = {doc: number(str(grade)) for grade, docs, _ in witness for doc in docs}
        others = [(number(str(grade)), elsewhere) for grade, _, elsewhere in witness if elsewhere]
        count, grades = sum(elsewhere for _, elsewhere in others), {*docs.values(), *(grade for grade, _ in others)}
        if docs.keys() - {*self.unknown} or grades - self.m.open or len(docs) + count > self.most or count > self.free:
            raise Refused("a witness has other grades or documents than those that are open, or too many")
        gains = self.gains | {doc: self.m.gain(grade) for doc, grade in docs.items()}
        given = [*docs.values(), *(grade for grade, elsewhere in others for _ in range(elsewhere))]
        relevant = [*self.judged, *filter(None, map(self.m.gain, given))]
        return self.score(self.a, gains, relevant)[0] - self.score(self.b, gains, relevant)[1]


def decided(const, alone, pairs):
    """Decide documents of which one choice is best whatever the others are."""
    before = None
    while before != len(alone):
        before = len(alone)
        for x in list(alone):
            gains = [pairs[x][y] for y in alone if y != x]
            on = alone[x] + sum(gain for gain in gains if gain < 0) >= 0
            if on or alone[x] + sum(gain for gain in gains if gain > 0) <= 0:
                const += on * alone[x]
                alone = {y: gain + on * pairs[x][y] for y, gain in alone.items() if y != x}
    return const, alone


def never_positive(node, const, alone, pairs, order):
    """Whether const + what chosen documents add alone and in pairs is never above 0.

    A node is [document, without it, with it], or {"x y": share} for a leaf, in millionths.
    """
    const, alone = decided(const, alone, pairs)
    if isinstance(node, list):
        x, without, with_it = node
        own, rest = alone.pop(x), {y: gain + pairs[x][y] for y, gain in alone.items()}
        holds = never_positive(without, const, alone, pairs, order)
        return holds and never_positive(with_it, const + own, rest, pairs, order)
    best, ordered, alone = [0], sorted(alone, key=order), dict(alone)
    for place, y in enumerate(ordered):  # y adds the same with all before it, if the rankings agree about their order
        for x in ordered[:place]:
            rest = pairs[x][y] - pairs[y][y]
            share = rest * min(10**6, max(0, node.get(f"{x} {y}", 500_000 if rest > 0 else 300_000))) // 10**6
            alone[x], alone[y] = alone[x] + share, alone[y] + (rest - share if rest > 0 else share)
            const -= min(0, share)
    for y in ordered:
        taken = [before + alone[y] + pairs[y][y] * n for n, before in enumerate(best)]
        best = list(map(max, [*best, NEVER], [NEVER, *taken]))
    return const + max(best) <= 0


def least(queries, most, target):
    """Return the least total of documents, up to `most`, whose queries' values reach a target; None if none does.

    At any price of a document, sums of values less prices bound what `most` documents reach, and leave few choices.
    """
    low, price = 0, max([0, *(y - x for values in queries for x, y in zip(values, values[1:]))])
    for _ in range(60):
        middle = (low + price) // 2
        used = sum(max(range(len(values)), key=lambda n: (values[n] - middle * n, -n)) for values in queries)
        low, price = (middle, price) if used > most else (low, middle)
    tops = [max(value - price * n for n, value in enumerate(values)) for values in queries]
    spare, best = sum(tops) + price * most - target, [0] + [NEVER] * most
    choices = [[(n, v) for n, v in enumerate(some) if top - v + price * n <= spare] for top, some in zip(tops, queries)]
    if spare < 0 or sum(map(len, choices)) * most > STEPS:
        return None if spare < 0 else -1  # -1: too many choices to tell
    for some in choices:
        best = [max([best[x - n] + value for n, value in some if n <= x], default=NEVER) for x in range(most + 1)]
    return next((x for x, value in enumerate(best) if value >= target), None)


def standing(m, upto):
    """Return the ceilings of the run behind, what it would need in all, and the largest m that leaves it behind."""
    target = -MARGIN * m.scale * len(upto[0]) * ONE
    behind = next((side for side in reversed(upto) if sum(values[0] for values in side) < target), None)
    reach = [sum(values[min(n, len(values) - 1)] for values in behind) for n in range(max(map(len, behind or [[]])))]
    return behind, target, next((n - 1 for n, value in enumerate(reach) if value >= target), "any") if behind else None


def check(claim, judged, a, b, policies):
    """Check what a certificate says of two runs in a measure; return what is not checked."""
    m, sums, upto = Measure(claim["measure"], judged, a, b), [0, 0], ([], [])
    slack = NEAR.get(m.name, MARGIN) * m.scale * ONE
    if claim["queries"].keys() != judged.keys():
        raise Refused("its queries are not those of the qrels")
    for query, documents in judged.items():
        rankings = [ranked(run.get(query, {}), policies["ties"], policies["score_dtype"]) for run in (a, b)]
        for end, sign in enumerate((-1, 1)):
            stated, witness, proof = (claim["queries"][query][name][end] for name in ("bounds", "witnesses", "proofs"))
            q, limit = Question(m, documents, *rankings[::sign], policies), sign * units(stated) * ONE // UNITS
            values, sums[end] = q.ceilings(), sums[end] + units(stated)
            if not q.proves(limit, proof, values):
                raise Refused(f"query {query}: the difference may be beyond {stated}")
            is_known = m.name in ADDITIVE or not q.is_tied
            if claim["exact"] and not (is_known and q.reached(witness) >= limit - slack):
                raise Refused(f"query {query}: no grades are known that lead to {stated}")
            upto[end].append(q.lowered(values, limit))
    low, high, n = units(claim["low"]), units(claim["high"]), len(judged)
    if not 0 <= sums[0] - low * n <= n or not 0 <= high * n - sums[1] <= n:
        raise Refused("a bound of the mean is not the mean of the queries' bounds, rounded outwards")
    if claim["verdict"] != ("A" if low > 0 else "B" if high < 0 else "open"):
        raise Refused(f"the bounds do not say {claim['verdict']}")
    (behind, target, certain), told, is_exact = standing(m, upto), claim["overturn"], claim["overturn_exact"]
    if (m.name == "AP" and policies["most"] is not None) or m.name == "ERR" or m.is_chain:
        return ["overturn", "largest_m"]
    upmost = min(told - (not is_exact), sum(map(len, behind))) if behind and told != "never" else None
    found = least(behind, upmost, target) if upmost is not None else None
    right = {None: "never" if certain == "any" else 0 if not behind else None if is_exact else told, -1: told}
    if right.get(found, found) != told or certain != claim["largest_m"]:
        raise Refused("overturn or largest_m is not as claimed")
    return ["overturn"] if found == -1 else []


def identify(told, digest, names):
    """Refuse a certificate of another form, or about other files; `names` has the given runs' files by their hash."""
    require(told, FORM, "certificate")
    if told["qrels"] != digest:
        raise Refused("the qrels do not have the hash that was certified")
    for name, of_run in told["runs"].items():
        if of_run not in names:
            raise Refused(f"run {name}: none of {', '.join(names.values())} has the hash that was certified")
    claims = [(claim["a"], claim["b"], claim["measure"]) for claim in told["claims"]]
    if not claims or len({*claims}) < len(claims):
        raise Refused("a claim is there twice" if claims else "nothing is claimed")
    for a, b, _ in claims:
        if a == b or not {a, b} <= told["runs"].keys():
            raise Refused(f"{a} {b}: a claim is about two of the runs {', '.join(told['runs'])}")


def main(arguments):
    """Check a certificate; print what a terminal can show of it."""
    say = lambda text, file=None: print("".join(c if c.isprintable() else "?" for c in text), file=file)
    about, forms = "arguments", [(), (4, 3, number), *[(6, 4, float)] * len(arguments)]
    try:
        files = [read(about := path, *form) for path, form in zip(arguments, forms)]
        about, ((_, text), (digest, judged), *runs) = "arguments", files
    except Exception as error:
        say(f"bad input: {about}: {error}; expected files as plain text or packed by gzip", sys.stderr)
        return 2
    about, wrong, names = arguments[0], "not JSON:", {of: path for (of, _), path in zip(runs, arguments[2:])}
    try:
        told, wrong, runs = json.loads(text, object_pairs_hook=once), "malformed:", dict(runs)
        identify(told, digest, names)
        say("policies: " + ", ".join(f"{name} {'any' if of is None else of}" for name, of in told["policies"].items()))
        say("runs: " + ", ".join(f"{name} is {names[of]}" for name, of in told["runs"].items()))
        for of in names.keys() - told["runs"].values():
            say(f"not in the certificate: {names[of]}")
        for claim in told["claims"]:
            about = f"{claim['a']} {claim['b']} {claim['measure']}"
            unchecked = check(claim, judged, *(runs[told["runs"][claim[side]]] for side in "ab"), told["policies"])
            say(f"verified: {about}" + f"; not verified: {', '.join(unchecked)}" * bool(unchecked))
    except Exception as error:  # whatever is not as it should be is no proof
        say(f"refused: {about}: {error if isinstance(error, Refused) else f'{wrong} {error!r}'}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
