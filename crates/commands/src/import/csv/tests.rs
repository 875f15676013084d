use std::io::Cursor;

use super::*;
use crate::import::rows::NOT_UTF_8;

type Names = Vec<(Role, String)>;

fn columns<const N: usize>(columns: [(Role, &str); N]) -> Names {
    columns.map(|(role, name)| (role, name.to_owned())).into()
}

fn names() -> Names {
    columns([(Role::Member, "who"), (Role::Points, "points")])
}

fn open_with(file: &[u8], format: CsvFormat, is_final: bool) -> Result<CsvRows, Box<dyn Error>> {
    let mut lines = Lines::new(Cursor::new(file.to_vec())).unwrap();
    lines.is_final = is_final;
    CsvRows::open(lines, format)
}

fn format(columns: Names) -> CsvFormat {
    CsvFormat {
        kind: "gifts".to_owned(),
        subject: "room".to_owned(),
        columns,
        missing: Some("NA".to_owned()),
        delimiter: None,
    }
}

fn open(file: &[u8], names: Names) -> Result<CsvRows, Box<dyn Error>> {
    open_with(file, format(names), true)
}

/// Reads all rows of a file to which nothing will be added.
fn read(file: &[u8], names: Names) -> Vec<(u64, String)> {
    read_all(open(file, names).unwrap()).0
}

/// Reads all rows. Returns the line to send, or why there is none, of each; and the warnings.
fn read_all(mut rows: CsvRows) -> (Vec<(u64, String)>, Vec<String>) {
    let mut read = Vec::new();
    let mut warnings = Vec::new();
    let mut out = Vec::new();
    while let Some(row) = rows.next(&mut out).unwrap() {
        let is_last = row.kind == RowKind::Unfinished;
        let text = match row.kind {
            RowKind::Contribution { .. } => String::from_utf8(out.clone()).unwrap(),
            RowKind::Skipped(columns) => format!("skipped: {columns}"),
            RowKind::Unfinished => "unfinished".to_owned(),
            RowKind::Unreadable(reason) => reason,
        };
        read.push((row.line, text.trim_end().to_owned()));
        out.clear();
        warnings.extend(rows.warnings());
        if is_last {
            break;
        }
    }
    (read, warnings)
}

fn sent(member: &str, points: i64) -> String {
    format!(r#"{{"board":"gifts/room","member":"{member}","points":{points}}}"#)
}

#[test]
fn rows_have_the_number_of_their_first_line() {
    for newline in ["\n", "\r\n"] {
        let file = [
            "who,note,points", // 1
            "a,\"two",         // 2
            "",
            "lines\",1", // 4
            "",
            "",
            "b,,2", // 7
            "\"c",
            "d\",\"x",
            "\",3",   // 10
            "e,y,NA", // 11
            "f,z,4",  // 12
        ]
        .join(newline);
        let inner = if newline == "\n" { "c\\nd" } else { "c\\r\\nd" };
        let expected = [
            (2, sent("a", 1)),
            (7, sent("b", 2)),
            (8, sent(inner, 3)),
            (11, "skipped: points".to_owned()),
            (12, sent("f", 4)),
        ];
        assert_eq!(read(file.as_bytes(), names()), expected, "{newline:?}");
        let ended = format!("{file}{newline}");
        assert_eq!(
            read(ended.as_bytes(), names()),
            expected,
            "{newline:?} at the end"
        );
        let marked = [b"\xef\xbb\xbf", ended.as_bytes()].concat();
        assert_eq!(read(&marked, names()), expected, "byte order mark");
    }
}

#[test]
fn points_must_be_exact_integers() {
    for (text, value) in [
        ("-7", -7),
        ("007", 7),
        ("+5", 5),
        ("5.0", 5),
        ("1.5E+3", 1_500),
    ] {
        let file = format!("who,points\nu,{text}\n");
        assert_eq!(
            read(file.as_bytes(), names()),
            [(2, sent("u", value))],
            "{text}"
        );
    }
    for (text, reason) in [
        ("12.5", "is not an integer"),
        ("0x10", "is not an integer"),
        ("9007199254740993", "is outside ±9007199254740991"),
        (
            "1'000",
            "is not an integer: write it without thousands separators",
        ),
        (
            "1.234.567",
            "is not an integer: write it without thousands separators",
        ),
        (
            "1 000",
            "is not an integer: write it without thousands separators",
        ),
    ] {
        let file = format!("who,points\nu,{text}\n");
        let read = read(file.as_bytes(), names());
        assert!(
            read[0]
                .1
                .starts_with(&format!("points: \"{text}\" {reason}")),
            "{read:?}"
        );
    }
}

#[test]
fn a_number_that_may_have_a_thousands_separator_is_rejected() {
    // 1.000 is 1 in JSON, and 1000 in a spreadsheet that writes semicolons between cells.
    let read = read(b"who;points\na;1.000\nb;-12.000\nc;1.0\nd;5,0\n", names());
    assert_eq!(
        (&read[0].1, &read[2]),
        (
            &"points: \"1.000\" may have a thousands separator: write it without one".to_owned(),
            &(4, sent("c", 1))
        )
    );
    assert!(read[1].1.contains("-12.000"), "{read:?}");
    assert!(read[3].1.contains("with a decimal point"), "{read:?}");
    assert_eq!(
        super::tests::read(b"who,points\na,1.000\n", names()),
        [(2, sent("a", 1))]
    );
}

#[test]
fn the_delimiter_is_given_declared_or_found() {
    let expected = [(sent("a", 1)), (sent("b", 2))];
    for (delimiter, file) in [
        (None, "who,points\na,1\nb,2\n"),
        (None, "\u{feff}who;points\r\na;1\r\nb;2\r\n"),
        (None, "who\tpoints\na\t1\nb\t2\n"),
        (None, "a, b, c;who;d, e;points\n;a;;1\n;b;;2\n"),
        (None, "\"a\nb\";who;points\n;a;1\n;b;2\n"),
        (None, "sep=;\r\nwho;points\r\na;1\r\nb;2\r\n"),
        (None, "\u{feff}\"sep=|\"\nwho|points\na|1\nb|2\n"),
        (None, "SEP=\t\nwho\tpoints\na\t1\nb\t2\n"),
        (Some(b'|'), "who|points\na|1\nb|2\n"),
        (Some(b';'), "sep=,\nwho;points\na;1\nb;2\n"),
    ] {
        let format = CsvFormat {
            delimiter,
            ..format(names())
        };
        let (rows, _) = read_all(open_with(file.as_bytes(), format, false).unwrap());
        let rows: Vec<String> = rows.into_iter().map(|(_, row)| row).collect();
        assert_eq!(rows, expected, "{file}");
    }
}

#[test]
fn fields_have_columns_of_their_own() {
    let names = columns([
        (Role::Member, "who"),
        (Role::Field("laps".to_owned()), "Laps"),
        (Role::Field("seconds".to_owned()), "Time"),
    ]);
    let sent = |member: &str, values: &str| {
        format!(r#"{{"board":"gifts/room","member":"{member}","values":{{{values}}}}}"#)
    };
    assert_eq!(
        read(b"who,Time,Laps\na,70.0,3\nb,,4\nc,NA,\nd,x,1\n", names),
        [
            (2, sent("a", r#""laps":3,"seconds":70"#)),
            (3, sent("b", r#""laps":4"#)),
            (4, "skipped: Laps, Time".to_owned()),
            (5, "Time: \"x\" is not an integer".to_owned()),
        ]
    );
}

#[test]
fn numbers_that_a_spreadsheet_has_rounded_are_named_once_a_column() {
    let names = columns([
        (Role::Member, "who"),
        (Role::Id, "id"),
        (Role::Points, "points"),
    ]);
    let file = "id;who;points\n\
        12e4;7;1.5E+3\n\
        2,02312E+16;1.23457E+11;1.23457E+11\n\
        2,02312E+16;1.23457E+11;3\n";
    let (rows, warnings) = read_all(open(file.as_bytes(), names).unwrap());
    assert!(rows.iter().all(|(_, row)| row.starts_with('{')), "{rows:?}");
    let [member, id, points] = warnings.as_slice() else {
        panic!("{warnings:?}");
    };
    assert!(
        member.starts_with("line 3: who: \"1.23457E+11\" looks like"),
        "{member}"
    );
    assert!(
        id.starts_with("line 3: id: \"2,02312E+16\" looks like"),
        "{id}"
    );
    assert!(
        points.starts_with("line 3: points: \"1.23457E+11\" looks like"),
        "{points}"
    );
}

#[test]
fn a_row_within_which_the_file_ends_is_unfinished() {
    for (last, number) in [("b,2", 3), ("b", 3), ("\"b\n", 3), ("\"b\n\",2", 3)] {
        let file = format!("who,points\na,1\n{last}");
        let rows = open_with(file.as_bytes(), format(names()), false).unwrap();
        let expected = [(2, sent("a", 1)), (number, "unfinished".to_owned())];
        assert_eq!(read_all(rows).0, expected, "{last}");
    }
    let error = open_with(b"who,points", format(names()), false)
        .err()
        .unwrap();
    assert!(error.to_string().contains("--final"), "{error}");
}

#[test]
fn a_carriage_return_within_a_line_is_reported() {
    let read = read(b"who,points\na,1\rb,2\r\nc,3\n", names());
    assert_eq!(
        read,
        [
            (2, "a carriage return is within the line".to_owned()),
            (3, sent("c", 3))
        ]
    );
}

#[test]
fn a_row_that_lacks_a_required_cell_is_skipped() {
    let names = [
        columns([(Role::Subject, "room"), (Role::Id, "id"), (Role::At, "at")]),
        names(),
    ];
    let names = names.concat();
    let file = b"id,at,room,who,points,note\n\
        1,2026-11-20T10:00:00Z,r/8 x,u,5,\n\
        ,2026-11-20T10:00:00Z,r,u,5,x\n\
        3,NA,r,u,5,x\n\
        4,1763632800000,,u,5,x\n\
        5,1763632800000,r,NA,bad,x\n\
        6,1763632800000,r,u,,x\n\
        7,1763632800000,r,u,5,NA\n";
    let sent = |at: &str, board: &str, id: &str| {
        format!(r#"{{"board":"{board}","member":"u","points":5,"at":{at},"id":"{id}"}}"#)
    };
    let skipped = |line, column: &str| (line, format!("skipped: {column}"));
    assert_eq!(
        read(file, names),
        [
            (2, sent("\"2026-11-20T10:00:00Z\"", "gifts/r/8 x", "1")),
            skipped(3, "id"),
            skipped(4, "at"),
            skipped(5, "room"),
            skipped(6, "who"),
            skipped(7, "points"),
            (8, sent("1763632800000", "gifts/r", "7")),
        ]
    );
}

#[test]
fn invalid_rows_are_reported_and_reading_continues() {
    let file = b"who,points,note\na,1\nb,2,x,y\n\xff,3,x\nc,4,\xff\n\"d\"\"\",5,\"a, b\"\n";
    assert_eq!(
        read(file, names()),
        [
            (2, "2 cells, but the header has 3".to_owned()),
            (3, "4 cells, but the header has 3".to_owned()),
            (4, format!("who: {NOT_UTF_8}")),
            (5, sent("c", 4)),
            (6, sent("d\\\"", 5)),
        ]
    );
}

#[test]
fn an_unclosed_quote_consumes_at_most_the_limit() {
    let open_to_the_end = b"who,points\na,1\n\"b,2\nc,3\n";
    let reason =
        "a quote is not closed before the end of the file; lines up to 4 are skipped with it";
    assert_eq!(
        read(open_to_the_end, names()),
        [(2, sent("a", 1)), (3, reason.to_owned())]
    );
    assert_eq!(
        read(b"who,points\na,\"1", names()),
        [(
            2,
            "a quote is not closed before the end of the file".to_owned()
        )]
    );

    let mut file = b"who,points\n\"open,1\n".to_vec();
    let filler = b"member,12\n";
    let lines = 200_000;
    file.extend(filler.iter().cycle().take(filler.len() * lines));
    let rows = read(&file, names());
    assert_eq!(rows[0].0, 2);
    assert!(rows[0].1.starts_with("longer than 1 MiB"), "{}", rows[0].1);
    assert_eq!(rows[1].1, sent("member", 12));
    assert_eq!(rows.last().unwrap().0, 2 + lines as u64);
}

#[test]
fn the_header_must_have_each_named_column_once() {
    let message = |file: &[u8]| match open(file, names()) {
        Ok(_) => panic!("the header is invalid"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        message(b"who,score\n"),
        "there is no column \"points\"; the columns are \"who\", \"score\""
    );
    assert_eq!(
        message(b"points,who,points\n"),
        "there is more than one column \"points\"; the columns are \"points\", \"who\", \"points\""
    );
    assert_eq!(message(b"\n\n"), "the file is empty; a header is expected");
    // `积分` in GBK, the names of UTF-16 without a byte order mark, lines of an old Mac.
    for (header, part) in [
        (&b"who,\xbb\xfd\xb7\xd6\n"[..], "iconv -f GBK -t UTF-8"),
        (b"w\0h\0o\0,\0p\0\n\0", "not UTF-8"),
        (b"who,points\ra,1\r", "carriage returns alone"),
    ] {
        let message = message(header);
        assert!(message.contains(part), "{message}");
    }
    assert!(open(b"other,other,who,points", names()).is_ok());
}
