//! The lines that a client sends, of which none is held that is longer than a message may be.
//! It knows nothing of what they say.

use std::io;

use axum::body::Bytes;
use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How much is read at a time.
const CHUNK: usize = 16 * 1024;

/// Reads lines.
#[derive(Debug)]
pub(super) struct Lines<R> {
    from: R,
    /// What was read; the next line begins at `begin`.
    read: Vec<u8>,
    begin: usize,
    /// As far as no end of a line was found.
    seen: usize,
    /// Most bytes of a line.
    most: usize,
    /// Whether the rest of a line that was too long is still to come.
    skipping: bool,
    ended: bool,
}

/// One line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Message(Bytes),
    TooLong,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(from: R, most: usize) -> Self {
        Self {
            from,
            read: Vec::new(),
            begin: 0,
            seen: 0,
            most,
            skipping: false,
            ended: false,
        }
    }

    /// The next line; `None` at the end. Nothing is lost when it is dropped.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            while let Some(line) = self.take() {
                if let Some(line) = line {
                    return Ok(Some(line));
                }
            }
            if self.ended {
                return Ok(None);
            }
            self.read.drain(..self.begin);
            (self.begin, self.seen) = (0, self.read.len());
            // A long message is no reason to keep as much room for ever.
            if self.read.is_empty() {
                self.read.shrink_to(CHUNK);
            }
            let mut chunk = [0; CHUNK];
            let many = self.from.read(&mut chunk).await?;
            self.ended = many == 0;
            self.read
                .extend_from_slice(chunk.get(..many).unwrap_or_default());
        }
    }

    /// The next line of what was read: `None` if it has no end yet, nothing in it if it is blank or
    /// the rest of one that was told of.
    fn take(&mut self) -> Option<Option<Line>> {
        let unseen = self.read.get(self.seen..).unwrap_or_default();
        let end = memchr(b'\n', unseen).map(|at| self.seen + at);
        let rest = self.read.len().saturating_sub(self.begin);
        let end = match end {
            Some(end) => end,
            // A client that goes right after its message may have left its last line open.
            None if self.ended && rest > 0 => self.read.len(),
            None => {
                self.seen = self.read.len();
                // One more may be the carriage return of its end.
                if self.skipping || rest > self.most.saturating_add(1) {
                    self.begin = self.read.len();
                    let told = std::mem::replace(&mut self.skipping, true);
                    return (!told).then_some(Some(Line::TooLong));
                }
                return None;
            }
        };
        let line = self.read.get(self.begin..end).unwrap_or_default();
        let line = line.trim_ascii();
        let line = match () {
            () if self.skipping || line.is_empty() => None,
            () if line.len() > self.most => Some(Line::TooLong),
            () => Some(Line::Message(Bytes::copy_from_slice(line))),
        };
        self.skipping = false;
        self.begin = end.saturating_add(1).min(self.read.len());
        self.seen = self.begin;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of `text` when it comes in parts of `size` bytes.
    async fn read(text: &str, size: usize, most: usize) -> Vec<String> {
        let (mut client, server) = tokio::io::duplex(size);
        let text = text.to_owned();
        let sent = tokio::spawn(async move {
            tokio::io::AsyncWriteExt::write_all(&mut client, text.as_bytes()).await
        });
        let mut lines = Lines::new(server, most);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            assert!(lines.read.capacity() <= 2 * CHUNK + most);
            all.push(match line {
                Line::Message(line) => String::from_utf8(line.to_vec()).unwrap(),
                Line::TooLong => "too long".to_owned(),
            });
        }
        sent.await.unwrap().unwrap();
        all
    }

    #[tokio::test]
    async fn lines_come_whole_however_they_are_sent() {
        for size in [1, 2, 3, 7, 64] {
            let got = read("{1}\n\r\n  \n{22}\r\n\n{3}", size, 10).await;
            assert_eq!(got, ["{1}", "{22}", "{3}"], "{size}");
        }
    }

    #[tokio::test]
    async fn a_line_may_have_as_many_bytes_as_the_limit_says() {
        for size in [1, 5, 1000] {
            for end in ["\n", "\r\n"] {
                let text = format!("{}{end}{}{end}b{end}", "a".repeat(10), "a".repeat(11));
                let got = read(&text, size, 10).await;
                assert_eq!(got, ["aaaaaaaaaa", "too long", "b"], "{size}");
            }
        }
        assert_eq!(read("aaaa", 100, 3).await, ["too long"]);
    }

    #[tokio::test]
    async fn a_line_without_an_end_is_told_of_once_and_not_held() {
        let text = format!("{}\n{{}}\n", "a".repeat(10 * CHUNK));
        assert_eq!(read(&text, CHUNK, 100).await, ["too long", "{}"]);
        assert_eq!(read(&"a".repeat(5 * CHUNK), CHUNK, 100).await, ["too long"]);
    }
}
