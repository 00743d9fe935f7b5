//! Hands what is measured to the recorder of the program, if it has one.
//!
//! A key is the name of a metric with the values of its labels. Those of a tool are made when they
//! are first needed and kept, so that to count something costs a look at whether anybody listens,
//! and nothing is allocated for it.

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use metrics::{IntoF64, Key, Label, Level, Metadata, SharedString, with_recorder};

use super::names::{self, Kind, Metric, Value};

static METADATA: Metadata<'static> = Metadata::new("mcp_elicit", Level::INFO, Some("mcp_elicit"));

/// Tells the recorder, where it wants to know, what each metric means.
pub(crate) fn describe() {
    with_recorder(|recorder| {
        for metric in names::ALL {
            let (name, about) = (metric.name.into(), metric.about.trim().into());
            let unit = Some(metric.unit);
            match metric.kind {
                Kind::Counter => recorder.describe_counter(name, unit, about),
                Kind::Gauge => recorder.describe_gauge(name, unit, about),
                Kind::Histogram => recorder.describe_histogram(name, unit, about),
            }
        }
    });
}

/// A label that is not there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Only;

impl Value for Only {
    const ALL: &'static [&'static str] = &[""];

    fn at(self) -> usize {
        0
    }
}

/// What the series of one tool, prompt or resource have in common.
#[derive(Clone)]
pub(crate) struct Labels {
    pub(crate) feature: &'static str,
    pub(crate) name: Arc<str>,
}

/// A metric whose first labels say which tool, prompt or resource it is about: its keys for one of
/// them.
#[derive(Clone)]
pub(crate) struct Series<A, B = Only> {
    metric: &'static Metric,
    of: Labels,
    keys: Arc<[OnceLock<Key>]>,
    values: PhantomData<(A, B)>,
}

impl<A: Value, B: Value> Series<A, B> {
    pub(crate) fn new(metric: &'static Metric, of: &Labels) -> Self {
        let keys = std::iter::repeat_with(OnceLock::new);
        Self {
            metric,
            of: of.clone(),
            keys: keys.take(A::ALL.len() * B::ALL.len()).collect(),
            values: PhantomData,
        }
    }

    pub(crate) fn count(&self, a: A, b: B) {
        if let Some(key) = self.key(a, b) {
            increment(key);
        }
    }

    pub(crate) fn record(&self, a: A, b: B, value: impl IntoF64) {
        if let Some(key) = self.key(a, b) {
            record(key, value);
        }
    }

    fn key(&self, a: A, b: B) -> Option<&Key> {
        let slot = self.keys.get(a.at() * B::ALL.len() + b.at())?;
        Some(slot.get_or_init(|| {
            let name = Arc::clone(&self.of.name).into();
            let feature = self.of.feature.into();
            key(
                self.metric,
                [feature, name, a.text().into(), b.text().into()],
            )
        }))
    }
}

impl<A, B> fmt::Debug for Series<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Series").field(&self.metric.name).finish()
    }
}

/// Counts one where the key is hardly ever needed.
pub(crate) fn count<const N: usize>(metric: &'static Metric, values: [SharedString; N]) {
    increment(&key(metric, values));
}

/// The same for a measured value.
pub(crate) fn observe<const N: usize>(
    metric: &'static Metric,
    values: [SharedString; N],
    value: impl IntoF64,
) {
    record(&key(metric, values), value);
}

/// Moves a gauge without labels up or down by one.
pub(crate) fn shift(metric: &'static Metric, up: bool) {
    with_recorder(|recorder| {
        let gauge = recorder.register_gauge(&key(metric, []), &METADATA);
        if up {
            gauge.increment(1.0);
        } else {
            gauge.decrement(1.0);
        }
    });
}

/// The key of a metric with these values of its labels, in their order.
fn key<const N: usize>(metric: &'static Metric, values: [SharedString; N]) -> Key {
    let labels = metric.labels.iter().zip(values).map(|(label, value)| {
        debug_assert!(label.takes(&value), "{}: {value}", metric.name);
        Label::new(label.name(), value)
    });
    Key::from_parts(metric.name, labels.collect::<Vec<_>>())
}

fn increment(key: &Key) {
    with_recorder(|recorder| recorder.register_counter(key, &METADATA).increment(1));
}

fn record(key: &Key, value: impl IntoF64) {
    with_recorder(|recorder| recorder.register_histogram(key, &METADATA).record(value));
}
