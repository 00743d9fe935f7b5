//! Those who listen: to the log, to metrics, to audit events.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use mcp_elicit::AuditEvent;
use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// What is logged, at every level, with all fields of all spans.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Listens on this thread until the guard is dropped.
    pub(crate) fn listen() -> (Self, tracing::subscriber::DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(LevelFilter::TRACE)
            .with_span_events(FmtSpan::FULL)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    /// The lines with `what` in them.
    pub(crate) fn lines(&self, what: &str) -> Vec<String> {
        let text = self.text();
        let lines = text.lines().filter(|line| line.contains(what));
        lines.map(str::to_owned).collect()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A recorder that keeps what it is told, by `name{label="value",..}`.
#[derive(Clone, Default)]
pub(crate) struct Metrics(Arc<Mutex<BTreeMap<String, Vec<f64>>>>);

impl Metrics {
    /// How often something was counted.
    pub(crate) fn count(&self, series: &str) -> u64 {
        self.values(series).iter().sum::<f64>() as u64
    }

    /// What was measured, in order.
    pub(crate) fn values(&self, series: &str) -> Vec<f64> {
        self.0
            .lock()
            .unwrap()
            .get(series)
            .cloned()
            .unwrap_or_default()
    }

    pub(crate) fn series(&self) -> Vec<String> {
        self.0.lock().unwrap().keys().cloned().collect()
    }

    fn slot(&self, key: &Key) -> Arc<Slot> {
        let labels = key.labels().map(|l| format!("{}={:?}", l.key(), l.value()));
        let labels = labels.collect::<Vec<_>>().join(",");
        Arc::new(Slot {
            all: self.clone(),
            series: format!("{}{{{labels}}}", key.name()),
        })
    }
}

struct Slot {
    all: Metrics,
    series: String,
}

impl Slot {
    fn push(&self, value: f64) {
        let mut all = self.all.0.lock().unwrap();
        all.entry(self.series.clone()).or_default().push(value);
    }
}

impl CounterFn for Slot {
    fn increment(&self, value: u64) {
        self.push(value as f64);
    }

    fn absolute(&self, _: u64) {}
}

impl GaugeFn for Slot {
    fn increment(&self, value: f64) {
        self.push(value);
    }

    fn decrement(&self, value: f64) {
        self.push(-value);
    }

    fn set(&self, _: f64) {}
}

impl HistogramFn for Slot {
    fn record(&self, value: f64) {
        self.push(value);
    }
}

impl Recorder for Metrics {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.slot(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.slot(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.slot(key))
    }
}

/// Audit events in their order.
#[derive(Clone, Default)]
pub(crate) struct Records(Arc<Mutex<Vec<AuditEvent>>>);

impl Records {
    pub(crate) fn sink(&self) -> impl Fn(&AuditEvent) + Send + Sync + 'static {
        let all = Arc::clone(&self.0);
        move |event| all.lock().unwrap().push(event.clone())
    }

    /// Those that came since this was asked the last time.
    pub(crate) fn take(&self) -> Vec<AuditEvent> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}
