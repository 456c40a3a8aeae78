//! The study's charts.

use super::Measured;
use super::paper::Row;
use crate::chart::{Chart, Series};

/// Figure 10b: how the time grows with the number of accesses in the unrolled code.
pub(super) fn figure_10(rows: &[&Row], measured: &[Measured]) -> String {
    let mut series: Vec<Series> = Vec::new();
    for (row, measured) in rows.iter().zip(measured) {
        let accesses = measured.statistic("loads") + measured.statistic("stores");
        let point = (accesses, measured.statistic("total_seconds"));
        match series.iter_mut().find(|series| series.name == row.implementation) {
            Some(series) => series.points.push(point),
            None => {
                series.push(Series { name: row.implementation.into(), points: vec![point], filled: true });
            }
        }
    }
    let paper = rows.iter().map(|row| (f64::from(row.loads + row.stores), row.total)).collect();
    series.push(Series { name: "the paper, all".into(), points: paper, filled: false });
    let title = "Checks on relaxed";
    Chart { title, x: "loads and stores", y: "seconds in all", series, diagonal: false }.svg()
}

/// One way against others, row by row.
pub(super) fn comparison(title: &str, usual: &str, names: &[&str], pairs: &[Vec<(f64, f64)>]) -> String {
    let series = names.iter().zip(pairs).map(|(name, pairs)| Series {
        name: (*name).into(),
        points: pairs.clone(),
        filled: true,
    });
    let (x, series) = (format!("{usual}, seconds"), series.collect());
    Chart { title, x: &x, y: "the other, seconds", series, diagonal: true }.svg()
}
