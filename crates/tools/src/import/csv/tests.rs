use std::io::Cursor;

use super::*;

fn names() -> ColumnNames {
    ColumnNames {
        subject: SubjectSource::Fixed("room".to_owned()),
        member: "who".to_owned(),
        points: "points".to_owned(),
        at: None,
        id: None,
    }
}

fn open(file: &[u8], names: ColumnNames) -> Result<CsvRows, HeaderError> {
    let lines = Lines::new(Cursor::new(file.to_vec())).unwrap();
    CsvRows::open(lines, "gifts", names, Some("NA".to_owned()))
}

/// Reads all rows. Returns the line to send, `skipped`, or the reason why the row is invalid.
fn read(file: &[u8], names: ColumnNames) -> Vec<(u64, String)> {
    let mut rows = open(file, names).unwrap();
    let mut read = Vec::new();
    let mut out = Vec::new();
    while let Some(row) = rows.next(&mut out).unwrap() {
        let text = match row.kind {
            RowKind::Contribution { .. } => String::from_utf8(out.clone()).unwrap(),
            RowKind::Skipped => "skipped".to_owned(),
            RowKind::Unreadable(reason) => reason,
        };
        read.push((row.line, text.trim_end().to_owned()));
        out.clear();
    }
    read
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
            (11, "skipped".to_owned()),
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
        ("0", 0),
        ("-7", -7),
        ("-0", 0),
        ("007", 7),
        ("9007199254740993", 9_007_199_254_740_993),
    ] {
        let file = format!("who,points\nu,{text}\n");
        assert_eq!(
            read(file.as_bytes(), names()),
            [(2, sent("u", value))],
            "{text}"
        );
    }
    for text in [
        "12.0",
        "1e3",
        "0x10",
        "+5",
        " 5",
        "5 ",
        "--5",
        "-",
        "1_000",
        "1'000",
        "٣",
        "inf",
        "NaN",
        "9223372036854775808",
    ] {
        let file = format!("who,points\nu,{text}\n");
        let reason = format!("points: \"{text}\" is not an exact integer");
        assert_eq!(read(file.as_bytes(), names()), [(2, reason)], "{text}");
    }
}

#[test]
fn a_row_that_lacks_a_required_cell_is_skipped() {
    let names = ColumnNames {
        subject: SubjectSource::Column("room".to_owned()),
        at: Some("at".to_owned()),
        id: Some("id".to_owned()),
        ..names()
    };
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
    let skipped = |line| (line, "skipped".to_owned());
    assert_eq!(
        read(file, names),
        [
            (2, sent("\"2026-11-20T10:00:00Z\"", "gifts/r/8 x", "1")),
            skipped(3),
            skipped(4),
            skipped(5),
            skipped(6),
            skipped(7),
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
            (4, "who: not UTF-8".to_owned()),
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
    assert!(open(b"other,other,who,points", names()).is_ok());
}
