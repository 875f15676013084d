//! Links of Markdown pages to other files of the repository lead to a file, and to a heading of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::{page, pages_in, root};

/// The folders with pages.
const FOLDERS: [&str; 6] = [
    "",
    "docs",
    "docs/decisions",
    "benches",
    "tests",
    "tests/data",
];

/// Returns the lines that are text: not in an indented or fenced block.
fn text_lines(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    (1..).zip(page.lines()).filter(move |(_, line)| {
        let is_fence = line.starts_with("```");
        is_fenced ^= is_fence;
        !is_fence && !is_fenced && !line.starts_with("    ")
    })
}

/// Returns the anchor that GitHub makes of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c })
        .flat_map(char::to_lowercase)
        .collect()
}

fn anchors(page: &str) -> BTreeSet<String> {
    let mut seen = BTreeMap::<String, usize>::new();
    let headings = text_lines(page).filter_map(|(_, line)| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| anchor(heading.trim()))
    });
    let numbered = headings.map(|anchor| {
        let before = seen.entry(anchor.clone()).or_default();
        *before += 1;
        match *before {
            1 => anchor,
            more => format!("{anchor}-{}", more - 1),
        }
    });
    numbered.collect()
}

/// Returns the targets of the links of a text, which a line break may not divide.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

/// Resolves `..` without the file system.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// Returns what is wrong with a target of a page.
fn fault(path: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, wanted) = target.split_once('#').unwrap_or((target, ""));
    let file = match file {
        "" => PathBuf::from(path),
        file => normal(&Path::new(path).parent().unwrap().join(file)),
    };
    if !root().join(&file).exists() {
        return Some(format!("there is no {}", file.display()));
    }
    let is_missing = !wanted.is_empty() && !anchors(&page(file.to_str().unwrap())).contains(wanted);
    is_missing.then(|| format!("{} has no heading #{wanted}", file.display()))
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut count = 0;
    let mut faults = Vec::new();
    for path in FOLDERS.iter().flat_map(|folder| pages_in(folder)) {
        for (number, line) in text_lines(&page(&path)) {
            for target in targets(line) {
                count += 1;
                let fault = fault(&path, target);
                faults.extend(fault.map(|fault| format!("{path}:{number}: {target}: {fault}")));
            }
        }
    }
    assert!(count > 200, "{count} links");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn anchors_are_those_of_github() {
    assert_eq!(anchor("`time_zone`"), "time_zone");
    assert_eq!(
        anchor("Writes: `function` and `script-free`"),
        "writes-function-and-script-free"
    );
    let twice = anchors("# A b\n\n## A b\n\n    # not one\n");
    assert_eq!(twice, BTreeSet::from(["a-b".into(), "a-b-1".into()]));
    for wrong in ["nowhere.md", "README.md#nowhere", "#nowhere"] {
        assert!(fault("README.md", wrong).is_some(), "{wrong}");
    }
    assert_eq!(fault("docs/http.md", "../README.md#megaboard"), None);
}
