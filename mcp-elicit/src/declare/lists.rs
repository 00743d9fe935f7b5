//! The choices that a form is asked with: checked, and joined with its table and its schema.
//!
//! From then on it is a table like any other. What the choices are is for `select` to say.

use std::collections::HashSet;
use std::fmt;

use super::Elicit;
use super::json;
use super::link::has_link;
use super::select::{Choosable, MOST, SelectMode};
use super::table::{Field, FormTable, Kind, Opt};

/// Why a form cannot be asked with these choices. It is the author's to mend.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadLists(String);

impl fmt::Display for BadLists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The checked choices of one question, one list for each `#[select]` field.
#[derive(Debug)]
pub(crate) struct Lists(Vec<Vec<Choosable>>);

impl Lists {
    /// Checks the choices: a list is never empty, at most 250 long, and no choice is blank or there
    /// twice.
    pub(crate) fn new<T: SelectMode>(options: T::Options) -> Result<Self, BadLists> {
        let lists = T::lists(options);
        let selects = selects(<T as Elicit>::declaration().table());
        for (field, list) in selects.zip(&lists) {
            check(field, list)
                .map_err(|fault| BadLists(format!("the choices of `{}`: {fault}", field.name)))?;
        }
        Ok(Self(lists))
    }

    /// Whether a label holds a link.
    pub(crate) fn have_link(&self) -> bool {
        self.0.iter().flatten().any(|it| has_link(&it.title))
    }

    /// Calls `f` with the table that has these choices.
    pub(crate) fn with<R>(&self, table: &FormTable<'_>, f: impl FnOnce(&FormTable<'_>) -> R) -> R {
        let lists: Vec<Vec<Opt<'_>>> = self
            .0
            .iter()
            .map(|list| list.iter().map(Choosable::opt).collect())
            .collect();
        let mut lists = lists.iter();
        let fields: Vec<Field<'_>> = table
            .fields
            .iter()
            .map(|field| {
                let mut field = *field;
                if field.select
                    && let Some(list) = lists.next()
                {
                    field.kind = filled(field.kind, list);
                }
                field
            })
            .collect();
        f(&FormTable::new(&fields))
    }

    /// What to put into the schema: the text of the field's choices, for each field that has some.
    pub(crate) fn for_schema(&self, table: &FormTable<'_>) -> Vec<Option<Vec<u8>>> {
        let mut lists = self.0.iter();
        table
            .fields
            .iter()
            .map(|field| {
                let list = field.select.then(|| lists.next())??;
                let list: Vec<Opt<'_>> = list.iter().map(Choosable::opt).collect();
                let mut out = Vec::new();
                json::append_options(&mut out, filled(field.kind, &list));
                Some(out)
            })
            .collect()
    }
}

impl Choosable {
    fn opt(&self) -> Opt<'_> {
        Opt::new(&self.value, Some(&self.title))
    }
}

fn selects<'t>(table: &'t FormTable<'_>) -> impl Iterator<Item = &'t Field<'t>> {
    table.fields.iter().filter(|field| field.select)
}

const fn filled<'a>(kind: Kind<'a>, options: &'a [Opt<'a>]) -> Kind<'a> {
    match kind {
        Kind::Several {
            min_items,
            max_items,
            ..
        } => Kind::Several {
            options,
            min_items,
            max_items,
        },
        _ => Kind::One(options),
    }
}

fn check(field: &Field<'_>, list: &[Choosable]) -> Result<(), String> {
    if list.is_empty() {
        return Err("there are none; ask only where there is something to choose from".to_owned());
    }
    if list.len() > MOST {
        return Err(format!(
            "there are {}, and {MOST} are the most; ask for something to narrow them down first",
            list.len()
        ));
    }
    if let Kind::Several {
        min_items: Some(least),
        ..
    } = field.kind
        && list.len() < least as usize
    {
        return Err(format!(
            "there are {}, fewer than must be chosen",
            list.len()
        ));
    }
    let mut seen = HashSet::with_capacity(list.len());
    for it in list {
        if it.value.trim().is_empty() {
            return Err("one has a blank key, which an answer cannot name".to_owned());
        }
        if !seen.insert(it.value.as_str()) {
            return Err("two have the same key".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::field::FormField;
    use crate::declare::select::{Choices, Select, SelectField};

    fn field(kind: Kind<'static>) -> Field<'static> {
        Field::new("repo", "Repo", "", kind, true).with_select()
    }

    fn list(len: usize) -> Vec<Choosable> {
        let pairs = (0..len).map(|i| (i, format!("Number {i}")));
        pairs.collect::<Choices<Select<usize>>>().into_list()
    }

    #[test]
    fn lists_that_cannot_be_chosen_from_are_refused() {
        let one = field(<Select as SelectField>::KIND);
        assert!(check(&one, &list(1)).is_ok());
        assert!(check(&one, &list(MOST)).is_ok());
        assert!(
            check(&one, &list(0))
                .unwrap_err()
                .contains("there are none")
        );
        assert!(check(&one, &list(MOST + 1)).unwrap_err().contains("251"));
        let twice = [list(2), list(1)].concat();
        assert!(check(&one, &twice).unwrap_err().contains("the same key"));
        let blank = Choices::<Select>::from([(" ".to_owned(), "Blank")]).into_list();
        assert!(check(&one, &blank).unwrap_err().contains("blank"));
        let several = field(Kind::Several {
            options: &[],
            min_items: Some(2),
            max_items: None,
        });
        assert!(check(&several, &list(2)).is_ok());
        assert!(check(&several, &list(1)).unwrap_err().contains("fewer"));
    }

    #[test]
    fn the_table_gets_the_choices_at_its_open_places() {
        let fields = [
            Field::new("name", "Name", "", <String as FormField>::KIND, true),
            field(<Select as SelectField>::KIND),
        ];
        let table = FormTable::new(&fields);
        let lists = Lists(vec![list(2)]);
        lists.with(&table, |table| {
            let [name, repo] = table.fields else {
                panic!("two fields")
            };
            assert_eq!(name, &fields[0]);
            let Kind::One([first, second]) = repo.kind else {
                panic!("{:?}", repo.kind)
            };
            assert_eq!(first, &Opt::new("0", Some("Number 0")));
            assert_eq!(second.value, "1");
        });
        assert_eq!(
            lists.for_schema(&table),
            [
                None,
                Some(
                    br#","oneOf":[{"const":"0","title":"Number 0"},{"const":"1","title":"Number 1"}]"#
                        .to_vec()
                )
            ]
        );
    }
}
