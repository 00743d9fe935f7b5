//! What is set alike of tools, prompts and resources. All three run and ask in the same way.

macro_rules! common_settings {
    () => {
        /// The name as people should read it.
        pub fn title(mut self, title: impl Into<::std::borrow::Cow<'static, str>>) -> Self {
            self.title = Some(title.into());
            self
        }

        /// What it may ask, so that a client which cannot answer is refused before it starts: a
        /// [`Declaration`]($crate::declare::Declaration), or the [`need`]($crate::InAsks::need) of what can
        /// be asked. Every type with a page belongs here: a server knows its pages from what names them.
        pub fn asks(
            mut self,
            questions: impl IntoIterator<Item = impl Into<$crate::Need>>,
        ) -> Self {
            self.asks.extend(questions.into_iter().map(Into::into));
            self
        }

        /// Lets the state of a run be used no more than once.
        pub fn single_use(mut self) -> Self {
            self.single_use = true;
            self
        }

        /// The revision of the handler: runs that began in another one do not go on in this one.
        pub fn rev(mut self, rev: u32) -> Self {
            self.rev = rev;
            self
        }

        /// A number that changes when the handler's code does.
        pub fn fingerprint(mut self, fingerprint: u64) -> Self {
            self.fingerprint = fingerprint;
            self
        }
    };
}

pub(super) use common_settings;
