//! `megaboard import` of CSV as spreadsheets write it.

use std::fs;

use serde_json::{Value, json};
use testkit::Server;
use testkit::cli::{self, Run};

fn import(server: &Server, name: &str, bytes: &[u8], flags: &str) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, bytes).unwrap();
    let mut arguments = vec!["import", file.to_str().unwrap(), "--server", server.url()];
    arguments.extend(flags.split_whitespace());
    cli::run(&arguments, b"")
}

#[test]
fn a_german_sheet_is_imported_with_its_semicolons() {
    let server = Server::start();
    let sheet = "\u{feff}sep=;\r\nName;Punkte;Vorgang\r\n\
        Jürgen;5;1\r\n\
        Anna;1,5E+03;2\r\n\
        Uwe;;3\r\n\
        Eva;1.000;4\r\n\
        Ina;+7;2,02312E+16\r\n\
        Ute;8;2,02312E+16\r\n";
    let flags =
        "--kind gifts --subject a --member-column Name --points-column Punkte --id-column Vorgang";
    let run = import(&server, "a.csv", sheet.as_bytes(), flags);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(
        run.stdout
            .starts_with("applied 3, duplicates 0, skipped 1, rejected 2"),
        "{run:?}"
    );
    for part in [
        "line 4: Punkte: \"1,5E+03\" is not an integer: write it without thousands separators",
        "line 5: skipped: Punkte is missing",
        "line 6: Punkte: \"1.000\" may have a thousands separator",
        "line 7: Vorgang: \"2,02312E+16\" looks like a longer number that a spreadsheet has rounded",
    ] {
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    }
    assert_eq!(server.order("gifts/a", "all"), ["Ute", "Ina", "Jürgen"]);
}

#[test]
fn files_that_are_no_csv_in_utf_8_are_refused_with_what_to_do() {
    let server = Server::start();
    let columns = "--kind gifts --subject a --member-column who --points-column points";
    let utf_16: Vec<u8> = "\u{feff}who\tpoints\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (name, bytes, flags, part) in [
        (
            "a.csv",
            &b"who,points,\xbb\xfd\xb7\xd6\na,1,2\n"[..],
            columns,
            "iconv -f GBK -t UTF-8",
        ),
        ("a.csv", &utf_16, columns, "iconv -f UTF-16 -t UTF-8"),
        ("a.csv", b"PK\x03\x04...", columns, "CSV UTF-8"),
        (
            "a.csv",
            b"who,points\ra,1\r",
            columns,
            "carriage returns alone",
        ),
        (
            "a.csv",
            b"wer;punkte\na;1\n",
            columns,
            "there is no column \"who\"",
        ),
        (
            "a.json",
            b"[{\"board\":\"gifts/a\",\"member\":\"u\",\"points\":1}]\n",
            "",
            "jq -c '.[]'",
        ),
        ("a.json", b"{\n  \"board\": \"gifts/a\"\n}\n", "", "jq -c ."),
    ] {
        let run = import(&server, name, bytes, flags);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        assert!(
            run.stderr.contains(part) && run.stderr.contains(name),
            "{run:?}"
        );
    }
}

#[test]
fn a_dry_run_reports_the_rows_and_sends_nothing() {
    let server = Server::start();
    let sheet = b"who|points\na|1\nb|x\nc|\nd|4\ne|5";
    let flags = "--kind gifts --subject a --member-column who --points-column points --delimiter | --dry-run";
    let run = import(&server, "a.csv", sheet, &format!("{flags} --json"));
    assert_eq!(run.status, Some(1), "{run:?}");
    let mut result: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(result["seconds"].take().is_number());
    let counts =
        json!({"would_send": 2, "skipped": 1, "unreadable": 1, "unfinished": 1, "seconds": null});
    assert_eq!(result, counts);
    for part in [
        "line 2: {\"board\":\"gifts/a\",\"member\":\"a\",\"points\":1}",
        "line 3: points: \"x\" is not an integer",
        "line 4: skipped: points is missing",
        "line 6: the file ends within this row",
    ] {
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    }
    assert!(
        server.get("/v1/boards?kind=gifts").ok()["boards"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}
