#[allow(deprecated)]
const _: () = {
    const _: () = ::mcp_elicit::__private::check_bound(
        <Option<u8> as ::mcp_elicit::__private::FormField>::KIND,
        ::mcp_elicit::__private::Literal::Whole(
            9i128,
            ::mcp_elicit::__private::Num::new(9f64, "9"),
        ),
    );
    const _: () = ::mcp_elicit::__private::check_default(
        <Option<u8> as ::mcp_elicit::__private::FormField>::KIND
            .with_max(
                ::mcp_elicit::__private::Literal::Whole(
                    9i128,
                    ::mcp_elicit::__private::Num::new(9f64, "9"),
                ),
            ),
        ::mcp_elicit::__private::Literal::Whole(
            1i128,
            ::mcp_elicit::__private::Num::new(1f64, "1"),
        ),
    );
    const __TABLE: &::mcp_elicit::__private::FormTable<'static> = &::mcp_elicit::__private::FormTable::new(
        &[
            ::mcp_elicit::__private::Field::new(
                "to",
                "To",
                "",
                <String as ::mcp_elicit::__private::FormField>::KIND,
                <String as ::mcp_elicit::__private::FormField>::REQUIRED,
            ),
            ::mcp_elicit::__private::Field::new(
                    "seats",
                    "Seats",
                    "How many?",
                    <Option<u8> as ::mcp_elicit::__private::FormField>::KIND
                        .with_max(
                            ::mcp_elicit::__private::Literal::Whole(
                                9i128,
                                ::mcp_elicit::__private::Num::new(9f64, "9"),
                            ),
                        ),
                    <Option<u8> as ::mcp_elicit::__private::FormField>::REQUIRED,
                )
                .with_default(
                    ::mcp_elicit::__private::Literal::Whole(
                        1i128,
                        ::mcp_elicit::__private::Num::new(1f64, "1"),
                    ),
                ),
        ],
    );
    const __MESSAGE: &::core::primitive::str = "Where to?";
    static __REQUEST: ::mcp_elicit::__private::Request<
        { ::mcp_elicit::__private::request_len(__MESSAGE, __TABLE) },
        2usize,
    > = ::mcp_elicit::__private::Request::new(__MESSAGE, __TABLE);
    static __DECLARATION: ::mcp_elicit::__private::Declaration = ::mcp_elicit::__private::Declaration::form::<
        Trip,
    >("trip", __MESSAGE, __TABLE, __REQUEST.text(), __REQUEST.marks(), false);
    #[automatically_derived]
    impl ::mcp_elicit::Elicit for Trip {
        type Options = ();
        fn declaration() -> &'static ::mcp_elicit::__private::Declaration {
            &__DECLARATION
        }
        fn decode(
            __json: &::core::primitive::str,
        ) -> ::core::result::Result<Self, ::mcp_elicit::Invalid> {
            let mut __values = [const {
                ::mcp_elicit::__private::Checked::Absent
            }; 2usize];
            let mut __answers = ::mcp_elicit::__private::Answers::read(
                __TABLE,
                __json,
                &mut __values,
            );
            let __field_0 = ::mcp_elicit::__private::Answers::take(
                &mut __answers,
                0usize,
                <String as ::mcp_elicit::__private::FormField>::from_checked,
            );
            let __field_1 = ::mcp_elicit::__private::Answers::take(
                &mut __answers,
                1usize,
                <Option<u8> as ::mcp_elicit::__private::FormField>::from_checked,
            );
            let __value = __answers
                .finish(
                    (|| {
                        ::core::option::Option::Some(Self {
                            to: __field_0?,
                            seats: __field_1?,
                        })
                    })(),
                )?;
            ::core::result::Result::Ok(__value)
        }
        fn each_value(
            &self,
            __each: &mut dyn ::core::ops::FnMut(::mcp_elicit::__private::Checked<'_>),
        ) {
            __each(<String as ::mcp_elicit::__private::FormField>::to_checked(&self.to));
            __each(
                <Option<
                    u8,
                > as ::mcp_elicit::__private::FormField>::to_checked(&self.seats),
            );
        }
    }
    #[automatically_derived]
    impl ::mcp_elicit::__private::FormMode for Trip {}
    #[automatically_derived]
    impl ::mcp_elicit::__private::Fillable for Trip {}
};
