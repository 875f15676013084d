//! Two servers on one folder would lose each other's writes: the second is refused.

use store_local::{LocalDisk, OpenError};

#[test]
fn a_second_server_is_refused_while_the_first_lives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("boards");
    let first = LocalDisk::open(&path).unwrap();
    let refused = LocalDisk::open(&path).unwrap_err();
    assert!(matches!(refused, OpenError::Locked(_)), "{refused}");
    assert!(refused.to_string().contains("boards"), "{refused}");
    drop(first);
    LocalDisk::open(&path).unwrap();
}
