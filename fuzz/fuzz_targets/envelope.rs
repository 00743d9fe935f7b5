#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mcp_elicit_tests::fuzz::envelope(input));
