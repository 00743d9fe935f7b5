//! Vault rows.

use std::sync::Arc;

use super::{at, key, owner, row};
use crate::store::{Owner, Row, RowKey, Store};
use crate::time::UnixTime;

pub(in super::super) async fn rows_are_written_read_and_replaced(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), None);
    store.put_row(&ada, row(1)).await.unwrap();
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), Some(row(1)));
    let other = Row {
        used: Some(at(7)),
        expires: Some(at(60)),
        sealed: vec![],
        ..row(2)
    };
    store.put_row(&ada, other.clone()).await.unwrap();
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), Some(other));
    store.put_row(&ada, row(3)).await.unwrap();
    assert_eq!(store.row(&ada, at(100)).await.unwrap(), Some(row(3)));
}

pub(in super::super) async fn rows_expire(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    let mut short = row(1);
    short.expires = Some(at(60));
    store.put_row(&ada, short.clone()).await.unwrap();
    assert_eq!(store.row(&ada, at(59)).await.unwrap(), Some(short));
    assert_eq!(store.row(&ada, at(60)).await.unwrap(), None);
    assert!(store.rows(&ada.owner, at(60)).await.unwrap().is_empty());
    assert_eq!(store.rows(&ada.owner, at(59)).await.unwrap().len(), 1);
    let mut endless = row(1);
    endless.expires = Some(UnixTime::from_millis(u64::MAX));
    store.put_row(&ada, endless).await.unwrap();
    assert!(store.row(&ada, at(1 << 30)).await.unwrap().is_some());
}

pub(in super::super) async fn rows_are_removed_by_version(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    assert!(!store.remove_row(&ada, None).await.unwrap());
    store.put_row(&ada, row(1)).await.unwrap();
    assert!(!store.remove_row(&ada, Some([2; 16])).await.unwrap());
    assert!(store.row(&ada, at(0)).await.unwrap().is_some());
    assert!(store.remove_row(&ada, Some([1; 16])).await.unwrap());
    assert!(store.row(&ada, at(0)).await.unwrap().is_none());
    store.put_row(&ada, row(3)).await.unwrap();
    assert!(store.remove_row(&ada, None).await.unwrap());
    assert!(!store.remove_row(&ada, None).await.unwrap());
}

pub(in super::super) async fn rows_are_touched_to_the_minute(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    let used = async || store.row(&ada, at(0)).await.unwrap().unwrap().used;
    store.touch_row(&ada, [1; 16], at(1)).await.unwrap();
    store.put_row(&ada, row(1)).await.unwrap();
    store.touch_row(&ada, [2; 16], at(1)).await.unwrap();
    assert_eq!(used().await, None);
    store.touch_row(&ada, [1; 16], at(1)).await.unwrap();
    assert_eq!(used().await, Some(at(1)));
    store.touch_row(&ada, [1; 16], at(60)).await.unwrap();
    assert_eq!(used().await, Some(at(1)));
    store.touch_row(&ada, [1; 16], at(61)).await.unwrap();
    assert_eq!(used().await, Some(at(61)));
}

pub(in super::super) async fn rows_are_resealed_by_version(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    let reseal = async |version| {
        let done = store.reseal_row(&ada, [version; 16], vec![9]).await;
        done.unwrap()
    };
    assert!(!reseal(1).await);
    let mut first = row(1);
    (first.used, first.expires) = (Some(at(1)), Some(at(60)));
    store.put_row(&ada, first.clone()).await.unwrap();
    assert!(reseal(1).await);
    first.sealed = vec![9];
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), Some(first));
    store.put_row(&ada, row(2)).await.unwrap();
    assert!(!reseal(1).await);
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), Some(row(2)));
}

pub(in super::super) async fn rows_belong_to_their_owner_alone(store: Arc<impl Store>) {
    let keys = [
        key("ada", "billing_key", ""),
        key("ada", "billing_key", "prod"),
        key("ada", "other", ""),
        key("adam", "billing_key", ""),
    ];
    for (version, key) in (0..).zip(&keys) {
        store.put_row(key, row(version)).await.unwrap();
    }
    let mut tenant = key("ada", "billing_key", "");
    tenant.owner.tenant = "acme".to_owned();
    let mut issuer = key("ada", "billing_key", "");
    issuer.owner.issuer = "https://login.example.org".to_owned();
    for elsewhere in [&tenant, &issuer, &key("a", "billing_key", "")] {
        assert_eq!(store.row(elsewhere, at(0)).await.unwrap(), None);
        assert!(
            store
                .rows(&elsewhere.owner, at(0))
                .await
                .unwrap()
                .is_empty()
        );
        assert!(!store.remove_row(elsewhere, None).await.unwrap());
    }
    store.put_row(&tenant, row(9)).await.unwrap();
    let rows = store.rows(&owner("ada"), at(0)).await.unwrap();
    let listed: Vec<_> = rows
        .iter()
        .map(|(key, row)| (key, row.version[0]))
        .collect();
    assert_eq!(listed, [(&keys[0], 0), (&keys[1], 1), (&keys[2], 2)]);
}

pub(in super::super) async fn rows_hold_any_bytes(store: Arc<impl Store>) {
    let odd = RowKey {
        owner: Owner {
            tenant: "a\0b".to_owned(),
            issuer: "'; drop table vault_row; --".to_owned(),
            subject: "😀%_\\".to_owned(),
        },
        credential: "\n".to_owned(),
        name: "é".to_owned(),
    };
    let mut large = row(1);
    large.sealed = (0..=255).cycle().take(100_000).collect();
    store.put_row(&odd, large.clone()).await.unwrap();
    assert_eq!(
        store.rows(&odd.owner, at(0)).await.unwrap(),
        [(odd.clone(), large)]
    );
    let mut near = odd.clone();
    near.owner.tenant = "a".to_owned();
    assert_eq!(store.row(&near, at(0)).await.unwrap(), None);
}
