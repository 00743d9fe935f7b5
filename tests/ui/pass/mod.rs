//! Sound twins of the cases that the compiler refuses. They are one binary, since each alone would be
//! linked with all of the library.

#![allow(
    dead_code,
    non_camel_case_types,
    reason = "what counts is that it compiles"
)]

macro_rules! cases {
    ($($name:ident,)*) => {
        $(mod $name;)*

        $(
            #[test]
            fn $name() {
                $name::main();
            }
        )*

        #[test]
        fn no_file_is_left_out() {
            let names = [$(stringify!($name)),*];
            for file in std::fs::read_dir("ui/pass").unwrap() {
                let path = file.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap();
                assert!(name == "mod" || names.contains(&name), "{name}");
            }
        }
    };
}

cases! {
    alias_of_secret,
    aliases,
    awaited,
    bounds_within_the_type,
    constants,
    described_tool,
    enum_names,
    every_option,
    every_type,
    fill,
    hostile_names,
    in_a_function,
    known_options,
    links_on_a_page,
    list_of_choices,
    made_by_macro,
    message_given,
    named_fields,
    newtypes,
    not_secret,
    not_secret_on_a_page,
    own_check,
    page,
    prompts_and_resources,
    raw_identifiers,
    renamed_crate,
    selects,
    site_in_words,
}
