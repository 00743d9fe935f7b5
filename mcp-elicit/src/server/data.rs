//! The store and the keys a server starts with, where its author gave none.

use std::path::PathBuf;
use std::sync::Arc;

use crate::mistake::Mistake;
use crate::seal::Keyring;
use crate::store::Store;
#[cfg(feature = "sqlite")]
use crate::store::{DataDir, SqliteStore};

/// Opens what is not given, in the directory `path`; else in the user's own one for the server that is
/// named. Every failure becomes a problem.
pub(super) async fn open(
    store: Option<Arc<dyn Store>>,
    keyring: Option<Keyring>,
    (path, users): (Option<PathBuf>, Option<&str>),
    public: bool,
    problems: &mut Vec<String>,
) -> (Option<Arc<dyn Store>>, Option<Keyring>) {
    let opened = match (store, keyring) {
        (Some(store), Some(keyring)) => Ok((store, keyring)),
        (store, keyring) => from_directory(store, keyring, (path, users)).await,
    };
    match opened {
        Ok((store, keyring)) => {
            if keyring.is_random() && public {
                problems.push(Mistake::EphemeralKey {}.to_string());
            }
            if store.is_process_local() && public {
                tracing::warn!("{}", Mistake::ProcessLocalGuard {});
            }
            (Some(store), Some(keyring))
        }
        Err(problem) => {
            problems.push(problem);
            (None, None)
        }
    }
}

#[cfg(feature = "sqlite")]
async fn from_directory(
    store: Option<Arc<dyn Store>>,
    keyring: Option<Keyring>,
    (path, users): (Option<PathBuf>, Option<&str>),
) -> Result<(Arc<dyn Store>, Keyring), String> {
    let path = path.unwrap_or_else(|| DataDir::default_path(users));
    let directory = DataDir::open(path).map_err(|e| e.to_string())?;
    let keyring = match keyring {
        Some(keyring) => keyring,
        None => Keyring::new(directory.key()).map_err(|e| e.to_string())?,
    };
    let store = match store {
        Some(store) => store,
        None => Arc::new(
            SqliteStore::open(directory.store_path())
                .await
                .map_err(|e| e.to_string())?,
        ),
    };
    Ok((store, keyring))
}

#[cfg(not(feature = "sqlite"))]
async fn from_directory(
    store: Option<Arc<dyn Store>>,
    keyring: Option<Keyring>,
    _: (Option<PathBuf>, Option<&str>),
) -> Result<(Arc<dyn Store>, Keyring), String> {
    let keyring = match keyring {
        Some(keyring) => keyring,
        None => {
            tracing::warn!("no keyring is given: what this process seals, no other can open");
            Keyring::random().map_err(|e| e.to_string())?
        }
    };
    Ok((
        store.unwrap_or_else(|| Arc::new(crate::store::MemoryStore::new())),
        keyring,
    ))
}
