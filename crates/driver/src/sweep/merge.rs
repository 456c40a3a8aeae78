//! The verdict of a whole sweep from logs of its shares.

use super::log::{Contents, LogError, agree, same};
use fencepost_harness::sweep::{Head, Record, Summary, Tally};
use fencepost_harness::verdict::Kind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Gaps that are named, at most.
const NAMED: usize = 6;

/// Reads logs of one sweep and says what they come to: what is swept, and the verdict. An error comes with the log
/// that it is about.
pub fn merge(paths: &[PathBuf]) -> Result<(Head, Summary), (PathBuf, LogError)> {
    let mut head: Option<Head> = None;
    let mut records: BTreeMap<u64, Record> = BTreeMap::new();
    let mut shares = Vec::new();
    for path in paths {
        let of = |error: LogError| (path.clone(), error);
        let contents = Contents::read(path).map_err(of)?;
        // Without a head, it was cut off before it said anything.
        let own = contents.head.ok_or_else(|| of(LogError::Version(None)))?;
        let own = Head { shard: None, ..own };
        same(&own, head.as_ref().unwrap_or(&own)).map_err(of)?;
        head = Some(own);
        shares.push(contents.shard.map_or(1, |(_, count)| count));
        add(&mut records, contents.records, path)?;
    }
    let head = head.ok_or_else(|| (PathBuf::new(), LogError::Version(None)))?;
    let total = head.schedules.unwrap_or(0);
    shares.dedup();
    let summary = whole(records, total, if let [count] = shares[..] { count } else { 1 });
    Ok((head, summary))
}

fn add(
    all: &mut BTreeMap<u64, Record>,
    more: BTreeMap<u64, Record>,
    path: &Path,
) -> Result<(), (PathBuf, LogError)> {
    for (number, record) in more {
        if all.get(&number).is_some_and(|known| !agree(known, &record)) {
            return Err((path.to_owned(), LogError::Contradiction(number)));
        }
        all.insert(number, record);
    }
    Ok(())
}

/// What records of so many schedules come to; `shares` is into how many shares the logs cut the sweep.
fn whole(records: BTreeMap<u64, Record>, total: u64, shares: u64) -> Summary {
    let mut tally = Tally::default();
    records.values().for_each(|record| tally.add(&record.tally));
    let violations: Vec<Record> =
        records.values().filter(|record| record.verdict == Kind::Violated).cloned().collect();
    let missing = total.saturating_sub(records.len() as u64);
    let (verdict, reason) = match (violations.first(), missing) {
        // What is missing before it may be violated, too.
        (Some(first), _) => {
            let before = records.range(..first.number).count() as u64;
            let smaller = (before < first.number)
                .then(|| format!("{} smaller schedules were not explored", first.number - before));
            (Kind::Violated, smaller)
        }
        (None, 0) if total > 0 => (Kind::Holds, None),
        (None, _) => (Kind::Inconclusive, Some(missed(&records, total, shares))),
    };
    Summary {
        verdict,
        reason,
        total,
        of_scope: total,
        shard: None,
        tally,
        violations,
        undecided: missing,
        seconds: records.values().map(|record| record.seconds).sum(),
    }
}

/// What is missing, by shares if there are several, otherwise by numbers.
fn missed(records: &BTreeMap<u64, Record>, total: u64, shares: u64) -> String {
    let mut named: Vec<String> = Vec::new();
    let mut more = false;
    if shares > 1 {
        let mut have: BTreeMap<u64, u64> = BTreeMap::new();
        records.keys().for_each(|number| *have.entry(number % shares).or_default() += 1);
        for share in 0..shares.min(total) {
            let all = (total - share).div_ceil(shares);
            let have = have.get(&share).copied().unwrap_or(0);
            if have < all && named.len() == NAMED {
                more = true;
                break;
            }
            if have == 0 {
                named.push(format!("shard {}/{shares}", share + 1));
            } else if have < all {
                let mut own = (0..all).map(|place| share + place * shares);
                let first = own.find(|number| !records.contains_key(number)).unwrap_or(share);
                let left = all - have;
                named.push(format!("{left} schedules of shard {}/{shares}, from {first} on", share + 1));
            }
        }
    } else {
        let mut next = 0;
        for end in records.keys().copied().chain([total]) {
            if next < end && named.len() == NAMED {
                more = true;
                break;
            }
            match end.saturating_sub(next) {
                0 => {}
                1 => named.push(format!("schedule {next}")),
                _ => named.push(format!("schedules {next} to {}", end - 1)),
            }
            next = end.saturating_add(1);
        }
    }
    format!("missing: {}{}", named.join(", "), if more { ", …" } else { "" })
}
