//! The tables, and how an older file becomes a newer one.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::super::StoreError;

/// Marks the file as ours ("mcpe"), so that we never write into another program's.
const APPLICATION: i32 = 0x6d63_7065;

/// How long one process waits for the writes of another.
const BUSY: Duration = Duration::from_secs(10);

/// What makes schema `n` of schema `n - 1`, from 1. A released one is never changed.
///
/// Times are milliseconds since the epoch.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE vault_row (
        tenant TEXT NOT NULL, issuer TEXT NOT NULL, subject TEXT NOT NULL,
        credential TEXT NOT NULL, name TEXT NOT NULL,
        version BLOB NOT NULL, sealed BLOB NOT NULL,
        stored INTEGER NOT NULL, used INTEGER, expires INTEGER,
        UNIQUE (tenant, issuer, subject, credential, name)
    ) STRICT;
    CREATE INDEX vault_row_ends ON vault_row (expires) WHERE expires IS NOT NULL;

    CREATE TABLE ticket (
        id BLOB NOT NULL UNIQUE,
        tenant TEXT NOT NULL, issuer TEXT NOT NULL, subject TEXT NOT NULL,
        page TEXT NOT NULL, form BLOB NOT NULL,
        credential TEXT NOT NULL, name TEXT NOT NULL,
        created INTEGER NOT NULL, expires INTEGER NOT NULL,
        status INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX ticket_open ON ticket (tenant, issuer, subject, expires) WHERE status = 0;
    CREATE INDEX ticket_ends ON ticket (expires);

    CREATE TABLE ended (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        ticket BLOB NOT NULL, expires INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX ended_ends ON ended (expires);

    CREATE TABLE claim (
        key BLOB NOT NULL UNIQUE,
        owner BLOB NOT NULL, digest BLOB NOT NULL, holder BLOB NOT NULL,
        until INTEGER NOT NULL, expires INTEGER NOT NULL,
        result BLOB
    ) STRICT;
    CREATE INDEX claim_owner ON claim (owner);
    CREATE INDEX claim_ends ON claim (expires);

    CREATE TABLE blob (
        id BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL, expires INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX blob_ends ON blob (expires);
",
    "
    CREATE TABLE completion (
        id BLOB NOT NULL UNIQUE, sealed BLOB NOT NULL, expires INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX completion_ends ON completion (expires);
",
];

/// Opens the file, makes it if need be, and brings it to the newest schema.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    create_private(path).map_err(|error| at(path, &error))?;
    let mut connection = connect(path).map_err(|error| at(path, &error))?;
    prepare(&mut connection).map_err(|error| at(path, &error))?;
    Ok(connection)
}

/// One more connection to a file that [`open`] has opened.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(48);
    // With the write-ahead log, NORMAL could forget the last commits when the power fails. A claim
    // must not be forgotten: the effect that it guards would be done again.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // A store is small, and the system caches its file anyway; so many KiB a connection will do.
    connection.pragma_update(None, "cache_size", -512)?;
    // What is removed shall not linger in free pages.
    connection.pragma_update(None, "secure_delete", "ON")?;
    Ok(connection)
}

fn at(path: &Path, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::new(format!("{}: {error}", path.display()))
}

/// Makes an empty file that its owner alone can read. The log beside it gets the same mode.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[derive(Debug)]
enum Unfit {
    Sqlite(rusqlite::Error),
    OtherProgram,
    Newer { version: usize },
}

impl From<rusqlite::Error> for Unfit {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(error) => error.fmt(f),
            Self::OtherProgram => {
                f.write_str("this is another program's database; choose another data directory")
            }
            Self::Newer { version } => write!(
                f,
                "the store has schema {version} and this build knows schemas up to {}: a newer \
                 build has written it; run that, or choose another data directory",
                MIGRATIONS.len()
            ),
        }
    }
}

fn prepare(connection: &mut Connection) -> Result<(), Unfit> {
    // Looked at before anything is written, so that a stranger's file stays as it is.
    is_ours(connection)?;
    use_log(connection)?;
    // Two processes may start at once: the second waits here and finds the work done.
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if !is_ours(&change)? {
        change.pragma_update(None, "application_id", APPLICATION)?;
        change.execute_batch(
            "CREATE TABLE migration (
                version INTEGER PRIMARY KEY, applied TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
            ) STRICT",
        )?;
    }
    let version = change.query_row(
        "SELECT coalesce(max(version), 0) FROM migration",
        [],
        |row| row.get::<_, i64>(0),
    )?;
    let version = usize::try_from(version).unwrap_or(usize::MAX);
    let missing = MIGRATIONS.get(version..).ok_or(Unfit::Newer { version })?;
    for (number, sql) in (version + 1..).zip(missing) {
        change.execute_batch(sql)?;
        change.execute(
            "INSERT INTO migration (version) VALUES (?)",
            [number as i64],
        )?;
    }
    Ok(change.commit()?)
}

/// Whether the file is ours, or empty and to become so.
fn is_ours(connection: &Connection) -> Result<bool, Unfit> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id == APPLICATION {
        return Ok(true);
    }
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if id == 0 && tables == 0 {
        Ok(false)
    } else {
        Err(Unfit::OtherProgram)
    }
}

/// Turns the write-ahead log on, which stays so. SQLite does not wait for a lock here by itself.
fn use_log(connection: &Connection) -> Result<(), rusqlite::Error> {
    let start = Instant::now();
    loop {
        let mode = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match mode {
            Err(error)
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
                    && start.elapsed() < BUSY =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error),
            Ok(_) => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MIGRATIONS, open};
    use crate::store::suite::Folder;

    #[test]
    fn another_programs_file_is_refused_and_left_alone() {
        let folder = Folder::new();
        let path = folder.0.join("store.sqlite");
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("CREATE TABLE theirs (x)").unwrap();
        drop(other);
        let before = std::fs::read(&path).unwrap();
        let error = open(&path).unwrap_err().to_string();
        assert!(error.contains("another program's database"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        std::fs::write(&path, "this is no database at all, it is only some text").unwrap();
        assert!(open(&path).is_err());
    }

    #[test]
    fn a_newer_schema_is_refused() {
        let folder = Folder::new();
        let path = folder.0.join("store.sqlite");
        let ours = open(&path).unwrap();
        let newer = MIGRATIONS.len() + 6;
        ours.execute("INSERT INTO migration (version) VALUES (?)", [newer as i64])
            .unwrap();
        let error = open(&path).unwrap_err().to_string();
        assert!(error.contains(&format!("has schema {newer}")), "{error}");
        assert!(error.contains("store.sqlite"), "{error}");
    }

    #[test]
    fn many_may_open_a_new_file_at_once() {
        let folder = Folder::new();
        let path = folder.0.join("store.sqlite");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let store = open(&path).unwrap();
                    let applied: i64 = store
                        .query_row("SELECT count(*) FROM migration", [], |row| row.get(0))
                        .unwrap();
                    assert_eq!(applied, MIGRATIONS.len() as i64);
                });
            }
        });
    }

    #[test]
    #[cfg(unix)]
    fn its_files_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = Folder::new();
        let path = folder.0.join("store.sqlite");
        let _open = open(&path).unwrap();
        let mut files = 0;
        for file in std::fs::read_dir(&folder.0).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            files += 1;
        }
        assert_eq!(files, 3, "the file, its log and the log's index");
    }
}
