//! `GET .../top`: the best n of the cached global board.

use testkit::Server;

#[test]
fn a_fresh_read_sees_every_answered_write() {
    let server = Server::with("[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"1h\"\n");
    for points in 1..=300 {
        server.give("gifts/a", &[("u", 1)]);
        let top = server.get("/v1/boards/gifts/a/top?fresh=true").ranked();
        assert_eq!(top, [(1, "u".to_owned(), points)]);
    }
}

#[test]
fn a_cached_board_is_no_older_than_max_staleness() {
    let server = Server::with(
        "[kinds.gifts]\nwindows = [\"all\"]\nmax_staleness = \"0s\"\n\
                               [kinds.slow]\nwindows = [\"all\"]\nmax_staleness = \"1h\"\n",
    );
    for points in 1..=100 {
        server.give("gifts/a", &[("u", 1)]);
        let top = server.get("/v1/boards/gifts/a/top").ranked();
        assert_eq!(top, [(1, "u".to_owned(), points)]);
    }
}
