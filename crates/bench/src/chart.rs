//! Scatter charts on logarithmic axes, as SVG.

use std::fmt::Write;

/// Points of one kind.
pub(crate) struct Series {
    /// What they are, for the legend.
    pub(crate) name: String,
    /// Their places.
    pub(crate) points: Vec<(f64, f64)>,
    /// Whether the marks are filled.
    pub(crate) filled: bool,
}

/// A chart.
pub(crate) struct Chart<'a> {
    /// Above it.
    pub(crate) title: &'a str,
    /// Along the horizontal axis.
    pub(crate) x: &'a str,
    /// Along the vertical axis.
    pub(crate) y: &'a str,
    /// What it shows.
    pub(crate) series: Vec<Series>,
    /// Whether to draw the line of equal coordinates.
    pub(crate) diagonal: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const COLOURS: [&str; 6] = ["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#a463f2", "#97bbf5"];

/// A logarithmic axis: powers of ten from one end to the other, and where they lie.
struct Axis {
    low: i32,
    high: i32,
    start: f64,
    end: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Axis {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|value| *value > 0.0) {
            least = least.min(value);
            most = most.max(value);
        }
        if !least.is_finite() {
            (least, most) = (1.0, 10.0);
        }
        let (low, high) = (least.log10().floor() as i32, most.log10().ceil() as i32);
        Axis { low, high: high.max(low + 1), start, end }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.max(10_f64.powi(self.low)).log10() - f64::from(self.low))
            / f64::from(self.high - self.low);
        self.start + share * (self.end - self.start)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.low..=self.high).map(|power| 10_f64.powi(power))
    }
}

impl Chart<'_> {
    /// The chart as a document.
    pub(crate) fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        let (mut xs, mut ys) =
            (Axis::new(points().map(|p| p.0), LEFT, right), Axis::new(points().map(|p| p.1), bottom, TOP));
        if self.diagonal {
            // The same scale on both, so that the line of equal coordinates goes from corner to corner.
            let (low, high) = (xs.low.min(ys.low), xs.high.max(ys.high));
            (xs.low, ys.low, xs.high, ys.high) = (low, low, high, high);
        }
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        text(&mut svg, (LEFT + right) / 2.0, 22.0, "middle", self.title);
        text(&mut svg, (LEFT + right) / 2.0, HEIGHT - 12.0, "middle", self.x);
        let _ = writeln!(
            svg,
            "<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (TOP + bottom) / 2.0,
            self.y
        );
        for tick in xs.ticks() {
            line(&mut svg, (xs.at(tick), TOP), (xs.at(tick), bottom), "#ddd");
            text(&mut svg, xs.at(tick), bottom + 16.0, "middle", &label(tick));
        }
        for tick in ys.ticks() {
            line(&mut svg, (LEFT, ys.at(tick)), (right, ys.at(tick)), "#ddd");
            text(&mut svg, LEFT - 6.0, ys.at(tick) + 4.0, "end", &label(tick));
        }
        if self.diagonal {
            line(&mut svg, (LEFT, bottom), (right, TOP), "#999");
        }
        for (index, series) in self.series.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let fill = if series.filled { colour } else { "none" };
            let mark = |svg: &mut String, x: f64, y: f64| {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"{colour}\"/>"
                );
            };
            for &(x, y) in &series.points {
                mark(&mut svg, xs.at(x), ys.at(y));
            }
            let y = TOP + 10.0 + 18.0 * index as f64;
            mark(&mut svg, right + 16.0, y);
            text(&mut svg, right + 26.0, y + 4.0, "start", &series.name);
        }
        svg + "</svg>\n"
    }
}

fn label(tick: f64) -> String {
    if tick >= 1.0 { format!("{tick:.0}") } else { format!("{tick}") }
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), colour: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_reach_from_power_to_power() {
        let axis = Axis::new([0.003, 42.0, 0.0].into_iter(), 0.0, 100.0);
        assert_eq!((axis.low, axis.high), (-3, 2));
        assert_eq!(axis.at(0.001), 0.0);
        assert_eq!(axis.at(100.0), 100.0);
        assert!((axis.at(10_f64.powf(-0.5)) - 50.0).abs() < 1e-9);
        assert_eq!(axis.at(0.0), 0.0);
    }

    #[test]
    fn charts_show_every_point() {
        let series = Series { name: "ours".into(), points: vec![(1.0, 2.0), (30.0, 4.0)], filled: true };
        let chart = Chart { title: "t", x: "x", y: "y", series: vec![series], diagonal: true };
        // Two points and the legend's mark.
        assert_eq!(chart.svg().matches("<circle").count(), 3);
    }
}
