//! The data directory: where the embedded store and its key are, made at the first start.
//!
//! It knows neither the store nor the keyring; it gives a path to the one and bytes to the other.
//!
//! ```text
//! .mcp-elicit/        mode 0700
//!   key               mode 0600, 32 random bytes
//!   store.sqlite      mode 0600, made by the store
//!   .gitignore        so that the key is not committed by accident
//! ```

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use rand::TryRng as _;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

/// Length of the key that is made, and the least that is taken.
const KEY_LEN: usize = 32;
/// The most that is read of a key file.
const KEY_MOST: u64 = 4096;

/// A directory that its owner alone can change, and the key in it.
pub(crate) struct DataDir {
    path: PathBuf,
    secret: Zeroizing<Vec<u8>>,
}

impl DataDir {
    /// Opens the directory at `path`. If there is none, it is made, with a new key; if several
    /// processes do so at once, they all get the same one.
    pub(crate) fn open(path: impl AsRef<Path>) -> Result<Self, DataDirError> {
        let path = path.as_ref();
        make_dir(path)?;
        let key = path.join("key");
        let secret = match read_key(&key)? {
            Some(secret) => secret,
            None => {
                make_key(path, &key)?;
                // Not what was just made: another process may have been faster.
                read_key(&key)?.ok_or_else(|| {
                    DataDirError::new(&key, "it was removed just after it was made".to_owned())
                })?
            }
        };
        Ok(Self {
            path: path.to_owned(),
            secret,
        })
    }

    /// Where the data is unless something else is said: `MCP_ELICIT_DATA`, or `.mcp-elicit` in
    /// the current directory. A client starts its servers anywhere, so what serves one user has a place
    /// in the user's own data directory, by the name of the server.
    pub(crate) fn default_path(server: Option<&str>) -> PathBuf {
        let set = |name| std::env::var_os(name).filter(|path| !path.is_empty());
        if let Some(path) = set("MCP_ELICIT_DATA") {
            return path.into();
        }
        let home = || set("HOME").map(PathBuf::from);
        let users = match std::env::consts::OS {
            "windows" => set("LOCALAPPDATA").map(PathBuf::from),
            "macos" => home().map(|home| home.join("Library/Application Support")),
            _ => {
                let named = set("XDG_DATA_HOME").map(PathBuf::from);
                // One that depends on the current directory is to be ignored, says its specification.
                let named = named.filter(|path| path.is_absolute());
                named.or_else(|| home().map(|home| home.join(".local/share")))
            }
        };
        match (server, users) {
            (Some(server), Some(users)) => users.join("mcp-elicit").join(file_name(server)),
            _ => PathBuf::from(".mcp-elicit"),
        }
    }

    /// The key's bytes, for a keyring.
    pub(crate) fn key(&self) -> &[u8] {
        &self.secret
    }

    /// Where the store's file belongs.
    pub(crate) fn store_path(&self) -> PathBuf {
        self.path.join("store.sqlite")
    }
}

impl fmt::Debug for DataDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataDir")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// A name that can be that of a file everywhere, another one for each text.
fn file_name(text: &str) -> String {
    let mut name = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    if name.is_empty() { "%".into() } else { name }
}

/// Why a data directory cannot be used, and what to do about it.
#[derive(Debug)]
pub(crate) struct DataDirError {
    path: PathBuf,
    problem: String,
}

impl DataDirError {
    fn new(path: &Path, problem: String) -> Self {
        Self {
            path: path.to_owned(),
            problem,
        }
    }

    fn io(path: &Path, what: &str, error: &io::Error) -> Self {
        Self::new(path, format!("{what}: {error}"))
    }
}

impl fmt::Display for DataDirError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

impl std::error::Error for DataDirError {}

fn make_dir(path: &Path) -> Result<(), DataDirError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(path)
        .map_err(|error| DataDirError::io(path, "the data directory cannot be made", &error))?;
    let found = fs::metadata(path)
        .map_err(|error| DataDirError::io(path, "the data directory cannot be read", &error))?;
    if let Some(mode) = shared(&found, 0o022) {
        return Err(DataDirError::new(
            path,
            format!(
                "others can write to this directory (mode {mode:04o}) and so could replace the \
                 key; run `chmod 700 {}`, or choose a directory of your own",
                path.display()
            ),
        ));
    }
    Ok(())
}

/// The key in the file, if there is one.
fn read_key(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, DataDirError> {
    let unreadable = |error: io::Error| DataDirError::io(path, "the key cannot be read", &error);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    // Asked of the open file, so that it cannot be exchanged in between.
    let found = file.metadata().map_err(unreadable)?;
    if !found.is_file() {
        return Err(DataDirError::new(path, "the key is not a file".to_owned()));
    }
    if let Some(mode) = shared(&found, 0o077) {
        return Err(DataDirError::new(
            path,
            format!(
                "others can read this key (mode {mode:04o}); run `chmod 600 {}`. If somebody may \
                 have read it, delete it instead: a new one is made, and what is stored has to be \
                 entered again",
                path.display()
            ),
        ));
    }
    let mut secret = Zeroizing::new(Vec::with_capacity(64));
    file.take(KEY_MOST)
        .read_to_end(&mut secret)
        .map_err(unreadable)?;
    if secret.len() < KEY_LEN {
        return Err(DataDirError::new(
            path,
            format!(
                "the key has {} bytes and needs {KEY_LEN} or more; restore it, or delete it: a \
                 new one is made, and what is stored has to be entered again",
                secret.len()
            ),
        ));
    }
    Ok(Some(secret))
}

/// Makes a key, unless there is one by now. It is written whole under another name and then given
/// its own by a link, which never replaces a file: so nobody reads half a key, and of several
/// processes one wins.
fn make_key(dir: &Path, path: &Path) -> Result<(), DataDirError> {
    let mut random = Zeroizing::new([0; KEY_LEN + 8]);
    SysRng.try_fill_bytes(random.as_mut_slice()).map_err(|_| {
        DataDirError::new(path, "the operating system gave no random bytes".to_owned())
    })?;
    let (name, secret) = random.split_at(8);
    let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
    let draft = dir.join(format!("key.{name}.new"));
    let made = write_private(&draft, secret).and_then(|()| fs::hard_link(&draft, path));
    let _ = fs::remove_file(&draft);
    match made {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(DataDirError::io(path, "the key cannot be made", &error));
        }
        _ => {}
    }
    // These are a help and no more: the key is there.
    let _ = fs::write(dir.join(".gitignore"), "*\n");
    #[cfg(unix)]
    let _ = File::open(dir).and_then(|dir| dir.sync_all());
    Ok(())
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The file's mode, if it grants others any of `bits`.
#[cfg(unix)]
fn shared(found: &fs::Metadata, bits: u32) -> Option<u32> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
    (mode & bits != 0).then_some(mode & 0o7777)
}

/// Elsewhere a user's own folders are private by the system's rules.
#[cfg(not(unix))]
fn shared(_: &fs::Metadata, _: u32) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;

    use super::DataDir;
    use crate::store::suite::Folder;

    #[test]
    fn makes_a_key_once() {
        let folder = Folder::new();
        let path = folder.0.join("a/b");
        let first = DataDir::open(&path).unwrap();
        assert_eq!(first.key().len(), 32);
        assert_ne!(first.key(), [0; 32]);
        assert_eq!(DataDir::open(&path).unwrap().key(), first.key());
        assert_eq!(first.store_path(), path.join("store.sqlite"));
        let other = DataDir::open(folder.0.join("c")).unwrap();
        assert_ne!(other.key(), first.key());
        let mut files: Vec<_> = fs::read_dir(&path)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        assert_eq!(files, [".gitignore", "key"]);
    }

    #[test]
    fn all_who_start_at_once_agree() {
        let folder = Folder::new();
        for round in 0..20 {
            let path = folder.0.join(round.to_string());
            let start = std::sync::Barrier::new(8);
            let secrets: HashSet<Vec<u8>> = std::thread::scope(|scope| {
                let open = || {
                    start.wait();
                    DataDir::open(&path).unwrap().key().to_vec()
                };
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
                threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap())
                    .collect()
            });
            assert_eq!(secrets.len(), 1);
        }
    }

    #[test]
    fn refuses_what_is_no_key() {
        let folder = Folder::new();
        let error = || DataDir::open(&folder.0).unwrap_err().to_string();
        fs::write(folder.0.join("key"), [7; 31]).unwrap();
        make_private(&folder.0.join("key"));
        assert!(error().contains("the key has 31 bytes"), "{}", error());
        fs::remove_file(folder.0.join("key")).unwrap();
        fs::create_dir(folder.0.join("key")).unwrap();
        assert!(error().contains("key"), "{}", error());
        let file = folder.0.join("file");
        fs::write(&file, "").unwrap();
        assert!(DataDir::open(&file).is_err());
    }

    #[test]
    fn takes_a_longer_key() {
        let folder = Folder::new();
        fs::write(folder.0.join("key"), [7; 64]).unwrap();
        make_private(&folder.0.join("key"));
        assert_eq!(DataDir::open(&folder.0).unwrap().key(), [7; 64]);
    }

    #[cfg(unix)]
    fn make_private(path: &std::path::Path) {
        set_mode(path, 0o600);
    }

    #[cfg(not(unix))]
    fn make_private(_: &std::path::Path) {}

    #[cfg(unix)]
    fn set_mode(path: &std::path::Path, mode: u32) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn keeps_others_out() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = Folder::new();
        let path = folder.0.join("data");
        DataDir::open(&path).unwrap();
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), 0o700);
        let key = path.join("key");
        assert_eq!(mode(&key), 0o600);
        for open in [0o640, 0o604, 0o620, 0o602] {
            set_mode(&key, open);
            let error = DataDir::open(&path).unwrap_err().to_string();
            assert!(error.contains("chmod 600"), "{error}");
            assert!(error.contains("data/key"), "{error}");
        }
        set_mode(&key, 0o400);
        DataDir::open(&path).unwrap();
        for open in [0o770, 0o702, 0o1777] {
            set_mode(&path, open);
            let error = DataDir::open(&path).unwrap_err().to_string();
            assert!(error.contains("chmod 700"), "{error}");
        }
        set_mode(&path, 0o755);
        DataDir::open(&path).unwrap();
    }

    #[test]
    fn debug_shows_no_key() {
        let folder = Folder::new();
        let dir = DataDir::open(&folder.0).unwrap();
        assert_eq!(
            format!("{dir:?}"),
            format!("DataDir {{ path: {:?}, .. }}", folder.0)
        );
    }
}
