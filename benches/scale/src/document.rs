//! Puts tables into the document: between `<!-- simulate: NAME -->` and `<!-- end -->`, each on its own line.

use crate::tables::Block;

const END: &str = "<!-- end -->";

/// Returns the document with these tables, or the name of one that it has no marks for.
pub fn with_blocks(document: &str, blocks: &[Block]) -> Result<String, String> {
    let mut text = document.to_owned();
    for Block { name, text: table } in blocks {
        let begin = format!("<!-- simulate: {name} -->\n");
        let missing = || format!("the document has no marks for {name:?}");
        let from = text.find(&begin).ok_or_else(missing)? + begin.len();
        let to = from + text[from..].find(END).ok_or_else(missing)?;
        text.replace_range(from..to, &format!("\n{table}\n"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_replaces_what_is_between_its_marks() {
        let block = |name| Block {
            name,
            text: "new\n".to_owned(),
        };
        let document = "a\n<!-- simulate: one -->\nold\n<!-- end -->\nb\n";
        let replaced = with_blocks(document, &[block("one")]).unwrap();
        assert_eq!(
            replaced,
            "a\n<!-- simulate: one -->\n\nnew\n\n<!-- end -->\nb\n"
        );
        assert_eq!(with_blocks(&replaced, &[block("one")]), Ok(replaced));
        assert!(with_blocks(document, &[block("two")]).is_err());
    }
}
