#[allow(deprecated)]
const _: () = {
    const __TABLE: &::mcp_elicit::__private::FormTable<'static> = &::mcp_elicit::__private::FormTable::new(
        &[
            ::mcp_elicit::__private::Field::new(
                "key",
                "Key",
                "",
                ::mcp_elicit::__private::Kind::Secret {
                    multiline: false,
                },
                <SecretString as ::mcp_elicit::__private::SecretField>::REQUIRED,
            ),
        ],
    );
    static __DECLARATION: ::mcp_elicit::__private::Declaration = ::mcp_elicit::__private::Declaration::page::<
        Account,
    >(
        "account",
        "Your account.",
        __TABLE,
        "account",
        ::mcp_elicit::__private::Keep::For(::core::time::Duration::from_secs(28800u64)),
        ::mcp_elicit::__private::Fallback::None,
    );
    #[automatically_derived]
    impl ::mcp_elicit::Elicit for Account {
        type Options = ();
        fn declaration() -> &'static ::mcp_elicit::__private::Declaration {
            &__DECLARATION
        }
        fn decode(
            __json: &::core::primitive::str,
        ) -> ::core::result::Result<Self, ::mcp_elicit::Invalid> {
            let mut __values = [const {
                ::mcp_elicit::__private::Checked::Absent
            }; 1usize];
            let mut __answers = ::mcp_elicit::__private::Answers::read(
                __TABLE,
                __json,
                &mut __values,
            );
            let __field_0 = ::mcp_elicit::__private::Answers::take(
                &mut __answers,
                0usize,
                <SecretString as ::mcp_elicit::__private::SecretField>::from_checked,
            );
            let __value = __answers
                .finish(
                    (|| { ::core::option::Option::Some(Self { key: __field_0? }) })(),
                )?;
            ::core::result::Result::Ok(__value)
        }
        fn each_value(
            &self,
            __each: &mut dyn ::core::ops::FnMut(::mcp_elicit::__private::Checked<'_>),
        ) {
            __each(
                <SecretString as ::mcp_elicit::__private::SecretField>::to_checked(
                    &self.key,
                ),
            );
        }
    }
    #[automatically_derived]
    impl ::mcp_elicit::__private::PageMode for Account {}
};
