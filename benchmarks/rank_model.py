#!/usr/bin/env python3
"""Model of the time of a step by several ranks, from measured terms (docs/cluster.md, "A model").

    benchmarks/rank_model.py [--sweeps 20] [--contacts 3] [--cores-per-node 64] [--threads-per-rank 8]
                             [--latency 2e-6] [--bandwidth 12.5e9]

Prints the table of that page.

Terms, with n bodies a rank, s sweeps a step (and 4 of the position correction) and c contacts a body:
- detection and the other stages: n / threads * (DETECTION + OTHERS);
- sweeps: s c n (1 + e(n)) / threads * VISIT, where e(n) are the visits beyond the own contacts;
- an exchange a sweep: latency, a message to each neighbour, bytes b(n) over the bandwidth of the rank's share of a node;
- a sum over all ranks a sweep: latency * log2(ranks);
- colouring of the whole interface by every rank: COLOUR * interface contacts, once a step.
Nothing overlaps. Memory bandwidth, the writing of frames and the sorting of bodies (every 500 steps) are left out.
"""

import argparse
import math

DETECTION, OTHERS = 0.455e-6, 0.23e-6  # s a body and core: a million ellipsoids, two ranks (docs/cluster.md)
VISIT = 27.4e-9  # s a contact and sweep: the same run, with the sweeps of the position correction
COLOUR = 30e-9  # s an interface contact: 110 instructions (callgrind, settled_bed with 8,000 bodies)
INTERFACE = 0.1  # interface contacts over all contacts, subdomains of about a thousand bodies
CORRECTION = 4  # sweeps of the position correction


def extra_visits(bodies):
    """Visits beyond the own contacts: 1.2, 3.8 and 7.9 % with 125,000, 15,600 and 3,900 bodies a rank."""
    return min(1.0, 0.038 * (15_600 / bodies) ** 0.54)


def exchange_bytes(bodies):
    """Bytes a rank sends in a sweep: 310, 113 and 54 kB with these numbers of bodies."""
    return 113e3 * (bodies / 15_600) ** 0.5


def neighbours(ranks):
    return min(ranks - 1, 17)


def step(bodies, cores, options):
    """(s a step, share of messages, share of colouring); None if a rank would have fewer than a thousand bodies."""
    ranks = max(1, round(cores / options.threads_per_rank))
    threads = min(cores, options.threads_per_rank)
    own = bodies / ranks
    if own < 1000:
        return None
    sweeps = options.sweeps + CORRECTION
    visits = sweeps * options.contacts * own * (1.0 + (extra_visits(own) if ranks > 1 else 0.0))
    computing = (own * (DETECTION + OTHERS) + visits * VISIT) / threads
    colouring = COLOUR * INTERFACE * options.contacts * bodies / threads
    messages = 0.0
    if ranks > 1:
        of_node = options.bandwidth * options.threads_per_rank / min(cores, options.cores_per_node)
        messages = sweeps * (options.latency * (1 + 0.25 * neighbours(ranks)) + exchange_bytes(own) / of_node
                             + options.latency * math.log2(ranks))
    whole = computing + colouring + messages
    return whole, messages / whole, colouring / whole


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sweeps", type=float, default=20)
    parser.add_argument("--contacts", type=float, default=3)
    parser.add_argument("--cores-per-node", type=int, default=64)
    parser.add_argument("--threads-per-rank", type=int, default=8)
    parser.add_argument("--latency", type=float, default=2e-6, help="s")
    parser.add_argument("--bandwidth", type=float, default=12.5e9, help="bytes/s of a node")
    options = parser.parse_args()
    cores = [1, 8, 64, 512, 4096, 32_768, 131_072]
    print("| bodies | " + " | ".join(f"{c:,} core{'s' if c > 1 else ''}" for c in cores) + " |")
    print("|---" * (len(cores) + 1) + "|")
    for bodies in (10**6, 10**7, 10**8, 10**9):
        cells = []
        for c in cores:
            found = step(bodies, c, options)
            cells.append("" if found is None else f"{1e3 * found[0]:,.3g} ms ({100 * found[1]:.0f}, {100 * found[2]:.0f} %)")
        print(f"| 10^{round(math.log10(bodies))} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
