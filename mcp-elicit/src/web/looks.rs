//! How pages look: a name, a logo and colours by [`Brand`], or HTML of your own by [`PageRenderer`].
//!
//! Without either, pages are plain and good as they are. Whatever you choose, headers, policy,
//! forms and their checks stay the server's.

// It knows no request and no store. The pages' own HTML is in `page` and the templates.

mod brand;
mod colour;
mod view;

pub use brand::Brand;
pub use view::{Button, Fact, FormView, Item, Link, PageKind, PageView};

pub use super::fields::{Control, FieldView, Line, OptionView};

use std::fmt;

/// Makes the HTML of pages, for those whom [`Brand`] is not enough.
///
/// You get a [`PageView`] of each page and return a whole HTML document. The short way puts your
/// own frame around what the page is by itself:
///
/// ```
/// use mcp_elicit::web::looks::{PageRenderer, PageView};
///
/// struct Framed;
///
/// impl PageRenderer for Framed {
///     fn render(&self, page: &PageView<'_>) -> String {
///         format!(
///             "<!doctype html><html lang=en><head>{}</head><body><nav>Northwind</nav><main>{}</main></body></html>",
///             page.head(),
///             page.main(),
///         )
///     }
/// }
/// # let server = mcp_elicit::Server::new("a", "1").page_renderer(Framed);
/// ```
///
/// The long way makes all of it from the view's parts. Then keep these:
///
/// - Every text of the view is plain: escape it, or it becomes HTML. The methods that return HTML
///   ([`head`](PageView::head), [`main`](PageView::main), [`FormView::open`], [`FieldView::html`])
///   have done so.
/// - Begin each form with [`FormView::open`]: it has the action and the hidden fields without which
///   a post is refused. Each button keeps its name and value.
/// - Keep the ids and names of fields, or write [`FieldView::html`]. A secret has no value to show.
/// - Show the facts, and give the button that declines the weight of the one that saves: whoever
///   sees them decides with open eyes.
/// - Scripts, styles and images come from this very origin, and none is written into the page: the
///   policy that is sent with it stops all else.
pub trait PageRenderer: Send + Sync + 'static {
    /// The whole document. Where it panics, the usual page is sent and the log says so.
    fn render(&self, page: &PageView<'_>) -> String;
}

/// The looks that a server was given.
#[derive(Default)]
pub(crate) struct Looks {
    pub(crate) brand: Brand,
    pub(crate) renderer: Option<Box<dyn PageRenderer>>,
}

impl fmt::Debug for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Looks")
            .field("brand", &self.brand)
            .field("renderer", &self.renderer.is_some())
            .finish()
    }
}
