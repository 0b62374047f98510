use super::*;
use alloy_primitives::KECCAK256_EMPTY;
use cairn_state::{AccountChange, AccountInfo as StoredInfo, StoreOptions};
use revm::state::{AccountStatus, EvmStorageSlot, TransactionId};

const RICH: Address = Address::with_last_byte(1);
const NEW: Address = Address::with_last_byte(2);

/// A store whose staged state holds one account with storage.
fn overlay(dir: &tempfile::TempDir) -> Result<Overlay, StateError> {
    let store = Store::open(
        dir.path(),
        StoreOptions {
            cache_bytes: 1 << 20,
        },
    )?;
    let info = StoredInfo {
        nonce: 1,
        balance: U256::from(100),
        code_hash: KECCAK256_EMPTY,
    };
    let storage = BTreeMap::from([
        (U256::from(1), U256::from(11)),
        (U256::from(2), U256::from(22)),
    ]);
    let change = AccountChange {
        account: Some(info),
        wipe_storage: false,
        storage,
    };
    let changes = StateChanges {
        accounts: BTreeMap::from([(RICH, change)]),
        code: BTreeMap::new(),
    };
    let snapshot = store.stage(&store.empty(), &changes)?.snapshot();
    Ok(Overlay::new(snapshot, store, Arc::new(BoundedMap::new(4))))
}

fn touched(info: AccountInfo, status: AccountStatus) -> Account {
    let mut account = Account::default().with_info(info);
    account.status = status | AccountStatus::Touched;
    account
}

fn commit(overlay: &mut Overlay, address: Address, account: Account) {
    overlay.commit([(address, account)].into_iter().collect());
}

#[test]
fn only_net_changes_remain() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let mut overlay = overlay(&dir)?;
    let info = overlay.basic(RICH)?.unwrap_or_default();
    assert_eq!(overlay.storage(RICH, U256::from(1))?, U256::from(11));
    let mut account = touched(info.clone(), AccountStatus::empty());
    let slot = EvmStorageSlot::new_changed(U256::from(11), U256::from(12), TransactionId::ZERO);
    account.storage.insert(U256::from(1), slot);
    commit(&mut overlay, RICH, account);
    assert_eq!(overlay.storage(RICH, U256::from(1))?, U256::from(12));
    let mut back = touched(info, AccountStatus::empty());
    let slot = EvmStorageSlot::new_changed(U256::from(12), U256::from(11), TransactionId::ZERO);
    back.storage.insert(U256::from(1), slot);
    commit(&mut overlay, RICH, back);
    commit(
        &mut overlay,
        NEW,
        touched(AccountInfo::default(), AccountStatus::empty()),
    );
    assert_eq!(overlay.into_changes(), StateChanges::default());
    Ok(())
}

#[test]
fn destroying_hides_storage_and_creating_anew_starts_empty()
-> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let mut overlay = overlay(&dir)?;
    let info = overlay.basic(RICH)?.unwrap_or_default();
    overlay.storage(RICH, U256::from(1))?;
    commit(
        &mut overlay,
        RICH,
        touched(info.clone(), AccountStatus::SelfDestructed),
    );
    assert_eq!(overlay.basic(RICH)?, None);
    assert_eq!(overlay.storage(RICH, U256::from(1))?, U256::ZERO);
    assert_eq!(overlay.storage(RICH, U256::from(2))?, U256::ZERO);
    let mut made = touched(info.clone(), AccountStatus::Created);
    let slot = EvmStorageSlot::new_changed(U256::ZERO, U256::from(11), TransactionId::ZERO);
    made.storage.insert(U256::from(1), slot);
    commit(&mut overlay, RICH, made);
    let changes = overlay.into_changes();
    let change = changes.accounts.get(&RICH).ok_or("no change")?;
    assert!(change.wipe_storage);
    assert_eq!(
        change.storage,
        BTreeMap::from([(U256::from(1), U256::from(11))])
    );
    Ok(())
}

#[test]
fn an_emptied_account_is_deleted() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let mut overlay = overlay(&dir)?;
    overlay.basic(RICH)?;
    commit(
        &mut overlay,
        RICH,
        touched(AccountInfo::default(), AccountStatus::empty()),
    );
    let changes = overlay.into_changes();
    let change = changes.accounts.get(&RICH).ok_or("no change")?;
    assert_eq!(change.account, None);
    Ok(())
}
