//! What a request sends before its reply: notifications, in a queue that a slow client cannot
//! make grow.
//!
//! It knows no transport. Whoever serves the request takes the messages out and frames them; a
//! request whose queue stays empty is answered with its reply alone.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;

/// The messages of one request that wait to be sent.
#[derive(Debug)]
pub(crate) struct Outlet {
    queue: Mutex<Queue>,
    /// Most bytes that may wait.
    most: usize,
    drained: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Message>,
    bytes: usize,
    waker: Option<Waker>,
    ended: bool,
}

#[derive(Debug)]
struct Message {
    text: Vec<u8>,
    /// Whether a newer one of its kind says all that it says.
    outdated_by_next: bool,
}

impl Outlet {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            queue: Mutex::default(),
            most,
            drained: Notify::new(),
        }
    }

    /// Puts a message into the queue. False where there is no room for it.
    pub(crate) fn push(&self, text: Vec<u8>) -> bool {
        self.add(Message {
            text,
            outdated_by_next: false,
        })
    }

    /// Likewise, for a message that takes the place of older ones that still wait, the newest first,
    /// when there is no room for all.
    pub(crate) fn push_newest(&self, text: Vec<u8>) -> bool {
        self.add(Message {
            text,
            outdated_by_next: true,
        })
    }

    fn add(&self, message: Message) -> bool {
        let mut queue = self.lock();
        if queue.ended {
            return false;
        }
        let over = queue
            .bytes
            .saturating_add(message.text.len())
            .saturating_sub(self.most);
        let has_room = over == 0 || message.outdated_by_next && queue.leave_out(over);
        if has_room {
            queue.put(message);
        }
        has_room
    }

    /// Ends the queue with the reply, which always finds room. Nothing comes after it.
    pub(crate) fn end(&self, reply: Vec<u8>) {
        let mut queue = self.lock();
        if !queue.ended && !reply.is_empty() {
            queue.put(Message {
                text: reply,
                outdated_by_next: false,
            });
        }
        queue.end();
    }

    /// Ends the queue where there is no reply.
    pub(crate) fn close(&self) {
        self.lock().end();
    }

    /// The next message; `None` after the last.
    pub(crate) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let mut queue = self.lock();
        if let Some(message) = queue.waiting.pop_front() {
            queue.bytes = queue.bytes.saturating_sub(message.text.len());
            if queue.waiting.is_empty() {
                self.drained.notify_waiters();
            }
            return Poll::Ready(Some(message.text));
        }
        if queue.ended {
            return Poll::Ready(None);
        }
        queue.watch(cx);
        Poll::Pending
    }

    /// Ready as soon as a message waits.
    pub(crate) fn poll_any(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut queue = self.lock();
        if !queue.waiting.is_empty() {
            return Poll::Ready(());
        }
        queue.watch(cx);
        Poll::Pending
    }

    /// Whether there is room for a message of this length.
    pub(crate) fn has_room(&self, length: usize) -> bool {
        self.lock().bytes.saturating_add(length) <= self.most
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().waiting.is_empty()
    }

    /// Waits until everything was taken out.
    pub(crate) async fn drained(&self) {
        loop {
            let drained = self.drained.notified();
            if self.is_empty() {
                return;
            }
            drained.await;
        }
    }

    /// All that waits.
    #[cfg(feature = "testing")]
    pub(crate) fn take(&self) -> Vec<Vec<u8>> {
        let mut queue = self.lock();
        queue.bytes = 0;
        queue
            .waiting
            .drain(..)
            .map(|message| message.text)
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn put(&mut self, message: Message) {
        self.bytes = self.bytes.saturating_add(message.text.len());
        self.waiting.push_back(message);
        self.wake();
    }

    /// Leaves out as many outdated messages as make room for this many bytes; none where all of them
    /// would not.
    fn leave_out(&mut self, bytes: usize) -> bool {
        let (mut found, mut places) = (0_usize, Vec::with_capacity(2));
        // From the back, where the newest are.
        for (at, message) in self.waiting.iter().enumerate().rev() {
            if found >= bytes {
                break;
            }
            if message.outdated_by_next {
                found = found.saturating_add(message.text.len());
                places.push(at);
            }
        }
        if found < bytes {
            return false;
        }
        for at in places {
            self.waiting.remove(at);
        }
        self.bytes = self.bytes.saturating_sub(found);
        true
    }

    fn end(&mut self) {
        self.ended = true;
        self.wake();
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    fn watch(&mut self, cx: &Context<'_>) {
        if !self.waker.as_ref().is_some_and(|w| w.will_wake(cx.waker())) {
            self.waker = Some(cx.waker().clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(outlet: &Outlet) -> Vec<String> {
        let mut cx = Context::from_waker(Waker::noop());
        let mut texts = Vec::new();
        while let Poll::Ready(Some(text)) = outlet.poll_next(&mut cx) {
            texts.push(String::from_utf8(text).unwrap());
        }
        texts
    }

    #[test]
    fn the_limit_is_what_waits_in_bytes() {
        let outlet = Outlet::new(6);
        assert!(outlet.push(b"abc".to_vec()));
        assert!(outlet.push(b"def".to_vec()));
        assert!(!outlet.push(b"g".to_vec()));
        assert_eq!(all(&outlet), ["abc", "def"]);
        assert!(outlet.push(b"g".to_vec()));
    }

    #[test]
    fn the_newest_takes_the_place_of_an_older_one_only_where_there_is_no_room() {
        let outlet = Outlet::new(6);
        assert!(outlet.push_newest(b"1/3".to_vec()));
        assert!(outlet.push(b"log".to_vec()));
        assert!(outlet.push_newest(b"2/3".to_vec()));
        assert!(!outlet.push_newest(b"too long".to_vec()));
        assert_eq!(all(&outlet), ["log", "2/3"]);
    }

    #[test]
    fn the_newest_finds_room_if_all_older_ones_of_its_kind_have_it() {
        let outlet = Outlet::new(12);
        assert!(outlet.push_newest(b"8/10".to_vec()));
        assert!(outlet.push(b"log".to_vec()));
        assert!(outlet.push_newest(b"9/10".to_vec()));
        // Longer than either of them.
        assert!(outlet.push_newest(b"10/10 all".to_vec()));
        assert!(!outlet.push_newest(b"10/10 all!".to_vec()));
        assert_eq!(all(&outlet), ["log", "10/10 all"]);
        assert!(outlet.push(b"0123456789ab".to_vec()));
    }

    #[test]
    fn the_reply_is_the_last_and_needs_no_room() {
        let outlet = Outlet::new(3);
        assert!(outlet.push(b"abc".to_vec()));
        outlet.end(b"reply".to_vec());
        assert!(!outlet.push(b"x".to_vec()));
        assert_eq!(all(&outlet), ["abc", "reply"]);
        let mut cx = Context::from_waker(Waker::noop());
        assert_eq!(outlet.poll_next(&mut cx), Poll::Ready(None));
    }

    #[tokio::test]
    async fn who_waits_for_room_goes_on_when_all_is_taken() {
        let outlet = std::sync::Arc::new(Outlet::new(3));
        outlet.push(b"abc".to_vec());
        let waiting = tokio::spawn({
            let outlet = std::sync::Arc::clone(&outlet);
            async move { outlet.drained().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        all(&outlet);
        waiting.await.unwrap();
    }
}
