//! The link of a page and the text of a ticket in it. A link holds a page's name and a random
//! ticket and nothing else: no data of the user, and nothing that grants access (specification,
//! "Safe URL Handling"). It uses the ticket's type.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::store::TicketId;

/// The link that a client shows to its user. `pages` is the address of all pages, without a slash
/// at its end, such as `https://mcp.example.com/ui`; `page` is the page's name.
pub(crate) fn link(pages: &str, page: &str, ticket: &TicketId) -> String {
    format!("{pages}/{page}/{}", text(ticket))
}

/// The ticket as it stands in a link.
pub(super) fn text(ticket: &TicketId) -> String {
    URL_SAFE_NO_PAD.encode(ticket.0)
}

/// Reads a ticket. Each has one text only: other lengths, padding, escapes and stray low bits are
/// refused.
pub(super) fn parse(text: &str) -> Option<TicketId> {
    let mut id = [0; 16];
    // 22 characters hold 132 bits; the decoder refuses the four that would be left over.
    let length = URL_SAFE_NO_PAD.decode_slice(text, &mut id).ok()?;
    (length == id.len() && text.len() == 22).then_some(TicketId(id))
}

/// The first characters of a ticket, for the log: enough to follow one page, too few to open it.
pub(crate) fn short(ticket: &TicketId) -> String {
    let mut all = text(ticket);
    all.truncate(6);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_page_and_ticket() {
        let ticket = TicketId([255; 16]);
        assert_eq!(
            link("https://mcp.example.com/ui", "set_api_key", &ticket),
            "https://mcp.example.com/ui/set_api_key/_____________________w"
        );
        assert_eq!(parse("_____________________w"), Some(ticket));
        assert_eq!(short(&ticket), "______");
    }

    #[test]
    fn only_the_one_text_is_read() {
        for bad in [
            "",
            "AAAA",
            "AAAAAAAAAAAAAAAAAAAAAA==",
            "AAAAAAAAAAAAAAAAAAAAAB",
            "AAAAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAA+A",
            "AAAAAAAAAAAAAAAAAAAA%41A",
            " AAAAAAAAAAAAAAAAAAAAAA",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        assert_eq!(parse("AAAAAAAAAAAAAAAAAAAAAA"), Some(TicketId([0; 16])));
    }
}
