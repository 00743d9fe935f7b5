//! HTTP on a Unix socket.

use std::fs;
use std::io;
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use super::app::App;
use super::serve::stop;
use crate::connections::Listener;
use crate::start_error::StartError;

impl App {
    /// Serves HTTP on a Unix socket at `path`, until the process is told to stop (Ctrl-C, SIGTERM). Only
    /// the user who runs this server can connect (mode 0600). A socket that an earlier process left is
    /// replaced, one at which somebody listens is not.
    ///
    /// With [`OsUser`](crate::auth::OsUser) requests are in the name of the user who connects, and pages are on
    /// a listener of their own on the loopback address. Any other authenticator looks at the headers as usual; it
    /// finds who has connected as `ConnectInfo<UCred>` (of axum and tokio) among the extensions of the request.
    /// That is the proxy where there is one.
    ///
    /// # Errors
    /// A path at which no socket can be made.
    pub async fn serve_unix(&self, path: impl AsRef<Path>) -> Result<(), StartError> {
        let path = path.as_ref();
        let failed = |e: io::Error| {
            StartError::new(vec![format!("cannot listen at {}: {e}", path.display())])
        };
        check_free(path).await.map_err(failed)?;
        let (listener, _socket) = bind(path).map_err(failed)?;
        self.run(Listener::Unix(listener), stop()).await;
        Ok(())
    }
}

/// Whether a socket can be made at `path`: there is nothing, or one at which nobody listens.
async fn check_free(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.file_type().is_socket() {
        return Err(io::Error::other("there is something else than a socket"));
    }
    match UnixStream::connect(path).await {
        Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        Err(e) => Err(e),
        Ok(_) => Err(io::Error::other("somebody listens there already")),
    }
}

/// The socket in the file system, removed with this unless another has taken its place.
struct Socket {
    path: PathBuf,
    inode: (u64, u64),
}

impl Drop for Socket {
    fn drop(&mut self) {
        if inode(&self.path).is_ok_and(|it| it == self.inode) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn inode(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// Makes the socket where nobody else can reach it yet, then puts it at its place: at no time can it be
/// connected to by others.
fn bind(path: &Path) -> io::Result<(UnixListener, Socket)> {
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    let private = parent
        .unwrap_or(Path::new("."))
        .join(format!(".{:x}", rand::random::<u64>()));
    fs::DirBuilder::new().mode(0o700).create(&private)?;
    let bound = (|| {
        let within = private.join("s");
        let listener = UnixListener::bind(&within)?;
        fs::set_permissions(&within, fs::Permissions::from_mode(0o600))?;
        let inode = inode(&within)?;
        fs::rename(&within, path)?;
        let path = path.to_owned();
        Ok((listener, Socket { path, inode }))
    })();
    let _ = fs::remove_dir_all(&private);
    bound
}
