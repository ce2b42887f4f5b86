use std::io::{Seek, SeekFrom, Write};

use super::*;

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Both ways to write, so that the second is tested where the first is possible.
const WAYS: [fn(&Path) -> io::Result<Replacement>; 2] =
    [Replacement::create, Replacement::create_named];

#[test]
fn a_file_changes_in_one_step_or_not_at_all() {
    for create in WAYS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("forest");
        for (before, text) in [(None, "new"), (Some("new"), "newer, and longer")] {
            let mut abandoned = create(&path).unwrap();
            abandoned.file().write_all(b"never seen").unwrap();
            drop(abandoned);
            let mut replacement = create(&path).unwrap();
            replacement.file().write_all(text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
            replacement.commit().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names_in(folder.path()), ["forest"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_unfinished_file_has_no_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut replacement = Replacement::create(&folder.path().join("forest")).unwrap();
    if replacement.name().is_some() {
        println!("skipped: {} has no files without names", folder.path().display());
        return;
    }
    replacement.file().write_all(b"1\n").unwrap();
    assert!(names_in(folder.path()).is_empty());
    // Somebody else is first.
    fs::write(folder.path().join("forest"), "theirs").unwrap();
    replacement.commit().unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("forest")).unwrap(), "1\n");
    assert_eq!(names_in(folder.path()), ["forest"]);
}

#[test]
fn several_write_their_parts_of_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forest");
    let mut first = Replacement::create_named(&path).unwrap();
    let name = first.name().unwrap().to_path_buf();
    let mut second = ReplacementPart::open(&name).unwrap();
    second.file().seek(SeekFrom::Start(2)).unwrap();
    second.file().write_all(b"2\n").unwrap();
    first.file().write_all(b"1\n").unwrap();
    assert_eq!(lock().iter().filter(|unfinished| **unfinished == name).count(), 2);
    drop(second);
    first.commit().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n");
    assert!(!lock().contains(&name), "a complete file is never removed");
    assert!(ReplacementPart::open(&name).is_err());
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_or_those_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    for create in WAYS {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        create(&ours).unwrap().commit().unwrap();
        fs::write(&plain, "new").unwrap();
        assert_eq!(mode(&ours), mode(&plain));
        for kept in [0o600, 0o640, 0o777] {
            fs::set_permissions(&ours, fs::Permissions::from_mode(kept)).unwrap();
            create(&ours).unwrap().commit().unwrap();
            assert_eq!(mode(&ours), kept);
        }
    }
}

#[cfg(unix)]
#[test]
fn the_owner_is_kept_where_this_process_may_set_it() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    for create in WAYS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("forest");
        fs::write(&path, "old").unwrap();
        if chown(&path, Some(12345), Some(23456)).is_err() {
            println!("skipped: only root can give files away");
            return;
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        create(&path).unwrap().commit().unwrap();
        let new = fs::metadata(&path).unwrap();
        assert_eq!((new.uid(), new.gid(), new.mode() & 0o7777), (12345, 23456, 0o640));
    }
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_and_its_file_changes() {
    for create in WAYS {
        let folder = tempfile::tempdir().unwrap();
        let (link, file) = (folder.path().join("link"), folder.path().join("file"));
        std::os::unix::fs::symlink("file", &link).unwrap();
        for text in ["through a dangling link", "again"] {
            let mut replacement = create(&link).unwrap();
            replacement.file().write_all(text.as_bytes()).unwrap();
            replacement.commit().unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        let ring = folder.path().join("ring");
        std::os::unix::fs::symlink("ring", &ring).unwrap();
        assert!(create(&ring).is_err());
    }
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    for create in WAYS {
        let in_the_way = create(folder.path()).unwrap_err();
        assert_eq!(in_the_way.kind(), io::ErrorKind::IsADirectory);
        let missing = create(&folder.path().join("missing/file")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        #[cfg(unix)]
        assert_eq!(create(Path::new("/dev/null")).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
    assert!(names_in(folder.path()).is_empty());
}
