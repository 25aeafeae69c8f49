//! Sorting networks for a few numbers, without branches on data: Batcher's merge exchange (Knuth, The Art of Computer
//! Programming, volume 3, algorithm 5.2.2M).

use crate::sorting;

/// Most numbers that are sorted so.
const MOST: usize = 16;

/// Which places are compared and, where they are the wrong way round, exchanged.
#[derive(Clone, Copy)]
struct Network {
    pairs: [(u8, u8); 63],
    len: usize,
}

static NETWORKS: [Network; MOST + 1] = {
    let mut networks = [Network { pairs: [(0, 0); 63], len: 0 }; MOST + 1];
    let mut n = 2;
    while n <= MOST {
        networks[n] = network(n);
        n += 1;
    }
    networks
};

const fn network(n: usize) -> Network {
    let mut network = Network { pairs: [(0, 0); 63], len: 0 };
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

/// Sort, ascending.
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
        let (one, other) = (values[i], values[j]);
        (values[i], values[j]) = (one.min(other), one.max(other));
    }
}

/// Put two numbers in order.
#[inline(always)]
fn exchange<T: Copy + Ord>(one: &mut T, other: &mut T) {
    (*one, *other) = ((*one).min(*other), (*one).max(*other));
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
