//! Sorts a few numbers by networks that have no branches on data: Batcher's merge exchange (Knuth, The Art of Computer
//! Programming, volume 3, algorithm 5.2.2M).

use crate::sorting;

/// The most numbers that a network sorts.
const MOST: usize = 16;

/// The pairs of positions that are put in order, one pair after the other.
#[derive(Clone, Copy)]
struct SortingNetwork {
    pairs: [(u8, u8); 63],
    len: usize,
}

static NETWORKS: [SortingNetwork; MOST + 1] = {
    let mut networks = [SortingNetwork { pairs: [(0, 0); 63], len: 0 }; MOST + 1];
    let mut n = 2;
    while n <= MOST {
        networks[n] = network(n);
        n += 1;
    }
    networks
};

/// The network that sorts `n` numbers.
const fn network(n: usize) -> SortingNetwork {
    let mut network = SortingNetwork { pairs: [(0, 0); 63], len: 0 };
    let half = n.next_power_of_two() / 2;
    let mut p = half;
    while p > 0 {
        let (mut q, mut r, mut d) = (half, 0, p);
        loop {
            let mut i = 0;
            while i + d < n {
                if i & p == r {
                    network.pairs[network.len] = (i as u8, (i + d) as u8);
                    network.len += 1;
                }
                i += 1;
            }
            if q == p {
                break;
            }
            d = q - p;
            q /= 2;
            r = p;
        }
        p /= 2;
    }
    network
}

/// Sorts values in ascending order.
#[inline]
pub fn sort<T: Copy + Ord + Send>(values: &mut [T]) {
    match values {
        [] | [_] => return,
        [a, b] => return exchange(a, b),
        [a, b, c] => {
            exchange(a, b);
            exchange(b, c);
            return exchange(a, b);
        }
        [a, b, c, d] => {
            exchange(a, b);
            exchange(c, d);
            exchange(a, c);
            exchange(b, d);
            return exchange(b, c);
        }
        _ => {}
    }
    let Some(network) = NETWORKS.get(values.len()) else {
        sorting::sort_by(values, &T::cmp);
        return;
    };
    for &(i, j) in &network.pairs[..network.len] {
        let (i, j) = (i as usize, j as usize);
        let (a, b) = (values[i], values[j]);
        (values[i], values[j]) = (a.min(b), a.max(b));
    }
}

/// Puts two values in order.
#[inline(always)]
fn exchange<T: Copy + Ord>(a: &mut T, b: &mut T) {
    (*a, *b) = ((*a).min(*b), (*a).max(*b));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sorts_zeros_and_ones_sorts_everything() {
        for n in 0..=MOST {
            for bits in 0..1u32 << n {
                let mut values: Vec<u32> = (0..n).map(|i| bits >> i & 1).collect();
                sort(&mut values);
                assert!(values.is_sorted() && values.iter().sum::<u32>() == bits.count_ones());
            }
        }
    }
}
