//! What a client was told before its reply.

use serde_json::Value;

use crate::runtime::{LogLevel, Progress};

/// One notification of a request.
#[derive(Debug, Clone)]
pub(super) enum Notice {
    Progress(Progress),
    Log(LogLevel, Value),
}

impl Notice {
    /// Reads one as it was to be sent.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let message: Value = serde_json::from_slice(text).ok()?;
        let params = message.get("params")?;
        let number = |name| params.get(name).and_then(Value::as_f64);
        let word = |name| params.get(name).and_then(Value::as_str);
        match message.get("method")?.as_str()? {
            "notifications/progress" => {
                let mut progress = Progress::new(number("progress")?);
                if let Some(total) = number("total") {
                    progress = progress.total(total);
                }
                if let Some(message) = word("message") {
                    progress = progress.message(message);
                }
                Some(Self::Progress(progress))
            }
            "notifications/message" => {
                let level = LogLevel::of(word("level")?)?;
                Some(Self::Log(level, params.get("data")?.clone()))
            }
            _ => None,
        }
    }
}
