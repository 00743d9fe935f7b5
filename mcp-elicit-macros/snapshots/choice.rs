#[allow(deprecated)]
const _: () = {
    #[automatically_derived]
    impl ::mcp_elicit::Choice for Class {
        const OPTIONS: &'static [::mcp_elicit::__private::Opt<'static>] = &[
            ::mcp_elicit::__private::Opt::new(
                "first",
                ::core::option::Option::Some("First"),
            ),
            ::mcp_elicit::__private::Opt::new(
                "second",
                ::core::option::Option::Some("Second class"),
            ),
        ];
        fn from_index(
            __index: ::core::primitive::usize,
        ) -> ::core::option::Option<Self> {
            match __index {
                0usize => ::core::option::Option::Some(Class::First),
                1usize => ::core::option::Option::Some(Class::Second),
                _ => ::core::option::Option::None,
            }
        }
        fn as_str(&self) -> &'static ::core::primitive::str {
            match self {
                Class::First => "first",
                Class::Second => "second",
            }
        }
    }
    #[automatically_derived]
    impl ::mcp_elicit::__private::FormField for Class {
        const KIND: ::mcp_elicit::__private::Kind<'static> = ::mcp_elicit::__private::Kind::One(
            <Self as ::mcp_elicit::Choice>::OPTIONS,
        );
        fn from_checked(
            __value: ::mcp_elicit::__private::Checked<'_>,
        ) -> ::core::result::Result<Self, ::mcp_elicit::__private::Reason> {
            ::mcp_elicit::__private::one(__value)
        }
        fn to_checked(&self) -> ::mcp_elicit::__private::Checked<'_> {
            ::mcp_elicit::__private::chosen(self)
        }
    }
    #[automatically_derived]
    impl ::mcp_elicit::__private::FormValue for Class {}
};
