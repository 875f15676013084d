//! Schemas of the words of a kind's settings. The words are those of `board`.

use std::borrow::Cow;

use board::{Direction, Mode, Op, RankStyle, Ties, Weekday};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Declares the schemas of words that `board` defines, with their names in the OpenAPI document.
macro_rules! words {
    ($($schema:ident = $name:literal: $description:literal, $words:expr;)*) => {
        $(pub(crate) struct $schema;

        impl PartialSchema for $schema {
            fn schema() -> RefOr<Schema> {
                let words = $words.map(|word| serde_json::json!(word));
                ObjectBuilder::new()
                    .schema_type(Type::String)
                    .description(Some($description))
                    .enum_values(Some(words))
                    .into()
            }
        }

        impl ToSchema for $schema {
            fn name() -> Cow<'static, str> {
                $name.into()
            }
        })*
    };
}

words! {
    ModeWords = "Mode": "How contributions fold into a standing.",
        [Mode::Accumulate, Mode::Best, Mode::Latest];
    RankStyleWords = "RankStyle": "Whether members with equal fields share a rank: not with `ordinal`, but with \
        `competition` (1 2 2 4) and `dense` (1 2 2 3).",
        [RankStyle::Ordinal, RankStyle::Competition, RankStyle::Dense];
    WeekdayWords = "Weekday": "A day of the week.",
        [
            Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday, Weekday::Friday,
            Weekday::Saturday, Weekday::Sunday,
        ];
    TiesWords = "Ties": "Which of two members with equal fields is better.",
        [Ties::Earliest, Ties::Latest, Ties::Member];
    OrderWords = "Order": "Whether greater (`desc`) or smaller (`asc`) values are better.",
        [Direction::Desc, Direction::Asc];
    OpWords = "Op": "How contributions change a field.",
        [Op::Sum, Op::Max, Op::Min, Op::Last];
}
