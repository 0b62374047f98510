//! Directories in use, of another format, or damaged answer typed errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cairn_state::{StateChanges, StateError, Store};

use crate::chain::{address, extend, info, open, receipt, set, tip, tx};

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path))
        } else {
            found.push(path)
        }
    }
    found
}

fn filled(dir: &Path) {
    let store = open(dir).unwrap();
    for number in 0..4 {
        let mut changes = StateChanges::default();
        for seed in 0..300 {
            set(
                &mut changes,
                address(seed),
                info(number, seed),
                &[(seed, number)],
            );
        }
        extend(
            &store,
            &changes,
            (0..50)
                .map(|index| (tx(number * 50 + index), receipt(index, Vec::new())))
                .collect(),
        );
    }
}

/// Reads everything; the first error ends it.
fn read_all(store: &Store) -> Result<(), StateError> {
    let Some(head) = store.head() else {
        return Ok(());
    };
    for number in 0..=head.number {
        store.header(number)?;
        store.transactions(number)?;
        store.receipts(number)?;
        let Some(state) = store.at(number)? else {
            continue;
        };
        for seed in 0..300 {
            state.account(&address(seed))?;
            state.storage_proof(&address(seed), &alloy_primitives::U256::from(seed))?;
        }
    }
    Ok(())
}

#[test]
fn a_second_open_is_told_locked() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    assert!(matches!(open(dir.path()), Err(StateError::Locked)));
    drop(store);
    assert!(open(dir.path()).is_ok());
}

#[test]
fn a_clone_and_a_snapshot_keep_the_store_usable() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    extend(&store, &StateChanges::default(), Vec::new());
    let (clone, snapshot) = (store.clone(), tip(&store));
    drop(store);
    assert_eq!(clone.head().map(|head| head.number), Some(0));
    assert!(snapshot.account(&address(1)).unwrap().is_none());
}

#[test]
fn a_file_in_place_of_the_directory_is_an_io_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, b"").unwrap();
    assert_eq!(open(&path).err().map(|error| error.code()), Some("io"));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target)
        } else {
            fs::copy(&path, &target).map(drop).unwrap()
        }
    }
}

/// Damages each file of a store in turn and tells what reading everything then answers.
fn damage_each(
    original: &Path,
    chosen: impl Fn(&Path) -> bool,
    mut judge: impl FnMut(&Path, Result<(), StateError>),
) {
    for victim in files(original).into_iter().filter(|path| chosen(path)) {
        let mut bytes = fs::read(&victim).unwrap();
        let middle = bytes.len() / 2;
        for byte in bytes.iter_mut().skip(middle).take(64) {
            *byte ^= 0xa5;
        }
        let dir = tempfile::tempdir().unwrap();
        copy(original, dir.path());
        let name = victim.strip_prefix(original).unwrap();
        fs::write(dir.path().join(name), bytes).unwrap();
        judge(name, open(dir.path()).and_then(|store| read_all(&store)));
    }
}

#[test]
fn damaged_files_answer_typed_errors_and_never_panic() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path());
    let mut refused = 0;
    damage_each(
        dir.path(),
        |_| true,
        |name, outcome| {
            if let Err(error) = outcome {
                assert!(
                    ["corrupt", "io", "format"].contains(&error.code()),
                    "{name:?}: {error}"
                );
                refused += 1;
            }
        },
    );
    assert!(refused > 0);
}

fn is_large_table(path: &Path) -> bool {
    path.parent()
        .is_some_and(|parent| parent.ends_with("tables"))
        && fs::metadata(path).unwrap().len() > 1 << 20
}

#[test]
fn a_damaged_table_file_is_told_corrupt() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut seed = 0;
    while !files(dir.path()).iter().any(|path| is_large_table(path)) {
        assert!(Instant::now() < deadline, "no table file was written");
        let body = (0..24).map(|index| {
            seed += 1;
            let mut transaction = tx(seed);
            transaction.raw = vec![seed as u8; 1 << 20].into();
            (transaction, receipt(index, Vec::new()))
        });
        extend(&store, &StateChanges::default(), body.collect());
    }
    drop(store);
    let mut damaged = 0;
    damage_each(dir.path(), is_large_table, |name, outcome| {
        assert_eq!(
            outcome.err().map(|error| error.code()),
            Some("corrupt"),
            "{name:?}"
        );
        damaged += 1;
    });
    assert!(damaged > 0);
}
