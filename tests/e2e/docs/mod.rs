//! The pages of the documentation: commands of the README, the quick start and the recipes are run
//! as they are written (`commands`), every setting of a kind has an example that works
//! (`settings`), the tables of endpoints and settings are generated from the contract
//! (`generated`), and links lead somewhere (`links`, `layout`).

mod cli;
mod commands;
mod generated;
mod layout;
mod links;
mod settings;
mod transcript;

use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Reads a page by its path from the root.
#[track_caller]
fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Returns the paths of the Markdown files in a folder, from the root.
fn pages_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let names = entries.map(|entry| PathBuf::from(entry.unwrap().file_name()));
    let pages = names.filter(|name| name.extension().is_some_and(|end| end == "md"));
    let mut paths: Vec<String> = pages
        .map(|name| Path::new(folder).join(name).to_str().unwrap().to_owned())
        .collect();
    paths.sort();
    paths
}
