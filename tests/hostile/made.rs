//! Forms and tools that a macro of the author's makes, and those in the body of a function.

macro_rules! form {
    (
        $(#[$meta:meta])*
        $name:ident in $krate:path, $message:expr, checked by $check:path {
            $($(#[doc = $doc:literal])* $field:ident: $ty:ty = $default:expr, at least $min:literal, titled $title:expr;)*
        }
    ) => {
        $(#[$meta])*
        #[derive($crate::made::tests::Elicit, Debug)]
        #[elicit(crate = $krate, message = $message, check = $check)]
        pub(crate) struct $name {
            $(
                $(#[doc = $doc])*
                #[elicit(min = $min, default = $default, title = $title)]
                pub(crate) $field: $ty,
            )*
        }
    };
}

macro_rules! choice {
    ($vis:vis $name:ident: $($variant:ident = $title:literal),*) => {
        #[derive(elicit::Choice, Debug, PartialEq, Eq)]
        #[choice(crate = elicit)]
        $vis enum $name {
            $(#[choice(title = $title)] $variant,)*
        }
    };
}

macro_rules! tool {
    ($krate:path, $name:ident, $doc:literal, $($arg:ident: $ty:ty = $default:expr),*; asks $asks:ty) => {
        #[doc = $doc]
        #[elicit::tool(crate = $krate, asks($asks))]
        pub(crate) async fn $name(
            cx: &elicit::Cx,
            $(#[arg(default = $default)] $arg: $ty),*
        ) -> Result<String, elicit::CallError> {
            let asked = cx.ask::<$asks>().await?;
            Ok(format!("{asked:?}{:?}", ($($arg,)*)))
        }
    };
}

mod tests {
    pub(crate) use elicit::Elicit;
    use elicit::serde_json::json;
    use elicit::{IntoTools, Invalid};

    use crate::expected::properties;

    mod sound {
        use super::Trip;

        pub(super) fn check(trip: &Trip) -> Result<(), elicit::Invalid> {
            let is_odd = trip.seats % 2 == 1;
            is_odd
                .then_some(())
                .ok_or_else(|| elicit::Invalid::field("seats", "must be odd"))
        }
    }

    form! {
        /// Not what the user reads.
        #[derive(Clone)]
        Trip in ::elicit, "Where to?", checked by sound::check {
            /// How many
            /// of them
            seats: u8 = 3, at least 1, titled "Seats, please";
            rate: f64 = -0.5, at least -1, titled "Rate";
        }
    }

    choice!(pub(crate) Class: First = "The first", Second = "The second");

    tool!(elicit, book, "Book a seat.", train: String = "ICE", count: u8 = 2; asks Trip);

    #[test]
    fn made_by_a_macro() {
        assert_eq!(Trip::declaration().message(), "Where to?");
        assert_eq!(
            properties::<Trip>(),
            json!({
                "seats": {
                    "type": "integer", "title": "Seats, please", "description": "How many of them",
                    "minimum": 1, "maximum": 255, "default": 3,
                },
                "rate": {"type": "number", "title": "Rate", "minimum": -1, "default": -0.5},
            })
        );
        let trip = Trip::decode(r#"{"seats":5}"#).expect("it fits");
        assert!((trip.rate + 0.5).abs() < f64::EPSILON);
        let wrong = Trip::decode(r#"{"seats":4}"#).expect_err("4");
        assert_eq!(wrong, Invalid::field("seats", "must be odd"));
        let tools = elicit::toolset!(book,);
        assert!(
            tools.tools[0].listing().contains(r#""default":"ICE""#),
            "{}",
            tools.tools[0].listing()
        );
    }

    #[test]
    fn in_the_body_of_a_function() {
        type Own = Class;

        /// In here?
        #[derive(Elicit)]
        #[elicit(crate = elicit)]
        struct Local {
            class: Own,
            #[elicit(max = MOST)]
            seats: Option<u8>,
        }

        const MOST: u8 = 4;

        /// Say it.
        #[elicit::tool(crate = elicit)]
        async fn say() -> &'static str {
            "it"
        }

        struct Shop;

        #[elicit::tools(crate = elicit)]
        impl Shop {
            /// Open it.
            #[tool]
            async fn open(&self) {}
        }

        let it = Local::decode(r#"{"class":"second","seats":4}"#).expect("it fits");
        assert_eq!((it.class, it.seats), (Class::Second, Some(4)));
        assert_eq!(properties::<Local>()["seats"]["maximum"], 4);
        assert_eq!(
            elicit::toolset![say].tools.len() + Shop.into_tools().tools.len(),
            2
        );
    }
}
