use super::*;

static BUDGET: ReplyBudget = ReplyBudget::new(usize::MAX);

/// Reads replies that arrive in parts of this length, up to the end or an error.
async fn read(text: &[u8], part: usize) -> Result<Vec<BytesMut>, String> {
    read_within(Replies::new(&BUDGET, false), text, part).await
}

async fn read_within(
    mut replies: Replies,
    text: &[u8],
    part: usize,
) -> Result<Vec<BytesMut>, String> {
    let mut found = Vec::new();
    for mut part in text.chunks(part) {
        while !part.is_empty() {
            let read = replies.read(&mut part).await;
            read.map_err(|error| error.to_string())?;
        }
        while let Some(reply) = replies.next().map_err(|error| error.to_string())? {
            found.push(reply);
        }
    }
    Ok(found)
}

async fn refused(text: &[u8]) -> String {
    read(text, 1000).await.expect_err("it is beyond a limit")
}

#[tokio::test]
async fn replies_are_the_same_however_they_arrive() {
    let text = b"+OK\r\n:-3\r\n$5\r\na\r\nbc\r\n*0\r\n_\r\n*2\r\n*1\r\n$1\r\na\r\n:1\r\n$0\r\n\r\n\
        %1\r\n+a\r\n*2\r\n:1\r\n,1.5\r\n-ERR no\r\n~1\r\n#t\r\n>2\r\n+message\r\n_\r\n=6\r\ntxt:ab\r\n+END\r\n";
    let whole = read(text, text.len()).await.unwrap();
    assert_eq!(whole.len(), 13, "{whole:?}");
    assert_eq!(whole.concat(), text);
    for part in 1..text.len() {
        assert_eq!(read(text, part).await.unwrap(), whole, "in parts of {part}");
    }
}

#[tokio::test]
async fn nulls_of_resp2_are_replies_of_resp2_alone() {
    let text = b"$-1\r\n*-1\r\n*2\r\n$-1\r\n:1\r\n";
    let resp2 = || Replies::new(&BUDGET, true);
    assert_eq!(read_within(resp2(), text, 3).await.unwrap().len(), 3);
    for (text, is_null) in [
        ("$-1\r\n", true),
        ("*-1\r\n", true),
        ("%-1\r\n", false),
        ("~-1\r\n", false),
        (">-1\r\n", false),
        ("=-1\r\n", false),
    ] {
        let malformed = ReplyError::Malformed.to_string();
        assert_eq!(refused(text.as_bytes()).await, malformed, "{text:?}");
        let read = read_within(resp2(), text.as_bytes(), 1000).await;
        assert_eq!(read.is_ok(), is_null, "{text:?}");
    }
}

#[tokio::test]
async fn depth_length_and_elements_are_limited_before_anything_is_decoded() {
    let deep = "*1\r\n".repeat(REPLY_DEPTH_MAX);
    let whole = read(format!("{deep}:1\r\n").as_bytes(), 7).await.unwrap();
    assert_eq!(whole.len(), 1);
    for (text, expected) in [
        (format!("*1\r\n{deep}"), ReplyError::TooDeep),
        (format!("%1\r\n+k\r\n{deep}"), ReplyError::TooDeep),
        (format!("${}\r\n", 2_u64 << 30), ReplyError::TooLong),
        (format!("${}\r\n", "9".repeat(40)), ReplyError::TooLong),
        (
            format!("*{}\r\n", REPLY_ELEMENTS_MAX + 1),
            ReplyError::TooManyElements,
        ),
        (format!("%{}\r\n", u64::MAX), ReplyError::TooManyElements),
        (
            format!("*2\r\n*{REPLY_ELEMENTS_MAX}\r\n"),
            ReplyError::TooManyElements,
        ),
        (
            format!("+{}", "x".repeat(REPLY_LINE_BYTES_MAX)),
            ReplyError::LineTooLong,
        ),
        (
            format!("${}", "0".repeat(REPLY_LINE_BYTES_MAX)),
            ReplyError::LineTooLong,
        ),
    ] {
        let shown = &text[..text.len().min(40)];
        assert_eq!(
            refused(text.as_bytes()).await,
            expected.to_string(),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn what_a_redis_never_sends_is_refused() {
    for text in [
        "|1\r\n",
        "$?\r\n",
        "*?\r\n",
        ";1\r\na\r\n",
        ".\r\n",
        "HELLO 3\r\n",
        "HTTP/1.1 400 Bad Request\r\n",
        "*-2\r\n",
        "$+1\r\n",
        "$\r\n",
        "\r\n",
        "+a\n",
    ] {
        assert_eq!(
            refused(text.as_bytes()).await,
            ReplyError::Malformed.to_string(),
            "{text:?}"
        );
    }
}

#[tokio::test]
async fn incomplete_replies_of_all_connections_share_their_memory() {
    static SHARED: ReplyBudget = ReplyBudget::new(1_000_000);
    let mut other = ReplyMemory::of(&SHARED);
    other.hold(1_000_000).unwrap();
    let full = ReplyError::Memory(1_000_000).to_string();
    let long = format!("${}\r\n{}\r\n", 300_000, "x".repeat(300_000));
    let many = format!("*5000\r\n{}", ":1\r\n".repeat(5000));
    for text in [&long, &many] {
        let refused = read_within(Replies::new(&SHARED, false), text.as_bytes(), 1000).await;
        assert_eq!(refused.unwrap_err(), full);
    }
    // Short ones have memory of their own.
    let short = read_within(Replies::new(&SHARED, false), b"+OK\r\n", 1).await;
    short.unwrap();
    // Nor does what is only announced take any.
    let announced = format!("*{REPLY_ELEMENTS_MAX}\r\n");
    let announced = read_within(Replies::new(&SHARED, false), announced.as_bytes(), 7).await;
    assert!(announced.unwrap().is_empty());
    drop(other);
    for text in [&long, &many] {
        let replies = read_within(Replies::new(&SHARED, false), text.as_bytes(), 1000).await;
        assert_eq!(replies.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn the_memory_of_a_long_reply_is_given_back_after_it() {
    static SHARED: ReplyBudget = ReplyBudget::new(2_000_000);
    let long = format!("${}\r\n{}\r\n+OK\r\n", 900_000, "x".repeat(900_000));
    let mut replies = Replies::new(&SHARED, false);
    let mut text = long.as_bytes();
    let mut found = 0;
    while !text.is_empty() {
        assert!(replies.read(&mut text).await.unwrap());
        while replies.next().unwrap().is_some() {
            found += 1;
        }
    }
    assert_eq!(found, 2);
    assert_eq!(replies.allocated, READ_BYTES);
    let mut others = ReplyMemory::of(&SHARED);
    others.hold(2_000_000).unwrap();
}
