//! What goes to the client, a line each, in the order in which it was said.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;

/// Most lines that wait for a client that reads slowly. Behind them, whoever has something to say
/// waits.
const WAITING: usize = 16;

/// How far a request is.
#[derive(Debug, Default)]
pub(super) struct Progress(AtomicU8);

const CANCELLED: u8 = 1;
const ANSWERED: u8 = 2;

impl Progress {
    /// Nothing more is said of it. False if it has been answered before.
    pub(super) fn cancel(&self) -> bool {
        let order = Ordering::AcqRel;
        let was = self
            .0
            .compare_exchange(0, CANCELLED, order, Ordering::Acquire);
        was.is_ok()
    }

    pub(super) fn answered(&self) {
        let order = Ordering::AcqRel;
        let _ = self
            .0
            .compare_exchange(0, ANSWERED, order, Ordering::Acquire);
    }

    pub(super) fn is_answered(&self) -> bool {
        self.0.load(Ordering::Acquire) == ANSWERED
    }

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire) == CANCELLED
    }
}

/// One line, and the request that it belongs to.
#[derive(Debug)]
pub(crate) struct Said {
    text: Vec<u8>,
    of: Option<Arc<Progress>>,
}

impl Said {
    pub(super) fn new(mut text: Vec<u8>, of: Option<Arc<Progress>>) -> Self {
        // Within a JSON text a raw line break can only stand between its parts.
        if memchr::memchr2(b'\n', b'\r', &text).is_some() {
            for byte in &mut text {
                if matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        }
        text.push(b'\n');
        Self { text, of }
    }

    /// What is to be written; nothing if its request was cancelled meanwhile.
    pub(crate) fn line(&self) -> Option<&[u8]> {
        let is_cancelled = self.of.as_ref().is_some_and(|of| of.is_cancelled());
        (!is_cancelled).then_some(&*self.text)
    }
}

pub(crate) fn channel() -> (mpsc::Sender<Said>, mpsc::Receiver<Said>) {
    mpsc::channel(WAITING)
}

/// Writes until nobody has anything to say any more.
pub(crate) async fn write(
    mut said: mpsc::Receiver<Said>,
    mut to: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    while let Some(next) = said.recv().await {
        if let Some(line) = next.line() {
            to.write_all(line).await?;
        }
        if said.is_empty() {
            to.flush().await?;
        }
    }
    to.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_message_is_one_line_and_of_a_cancelled_request_none() {
        let (say, said) = channel();
        let (one, two) = (Arc::new(Progress::default()), Arc::new(Progress::default()));
        for (text, of) in [("{\r\n\"a\":\n1}", &one), ("{\"b\":2}", &two), ("{}", &one)] {
            let said = Said::new(text.into(), Some(Arc::clone(of)));
            say.send(said).await.unwrap();
        }
        assert!(two.cancel() && !two.is_answered());
        one.answered();
        assert!(!one.cancel() && one.is_answered());
        drop(say);
        let mut out = Vec::new();
        write(said, &mut out).await.unwrap();
        assert_eq!(out, b"{  \"a\": 1}\n{}\n");
    }
}
