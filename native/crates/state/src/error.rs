//! What can go wrong in the chain database, as one typed error. Owns the mapping from the storage engine's errors; no
//! engine type leaves the crate.

use alloy_primitives::B256;

/// A failure of the chain database. Absent rows are never errors: readers answer `None` for them.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Another process (or another handle of this process) holds the directory.
    #[error("the database directory is in use")]
    Locked,
    /// The operating system refused a read or a write.
    #[error("input/output: {0}")]
    Io(#[from] std::io::Error),
    /// Stored bytes do not decode or fail their checksum.
    #[error("corrupt database: {0}")]
    Corrupt(String),
    /// The directory was written by another version of this format.
    #[error("database format {found}, this program reads {expected}")]
    Format {
        /// Version found in the directory.
        found: u32,
        /// Version this program writes.
        expected: u32,
    },
    /// An earlier write failed, so the engine refuses further ones until the store is opened again.
    #[error("an earlier write failed; the store must be opened again")]
    Poisoned,
    /// The block does not extend the head, or its state was staged on another state than the head's.
    #[error("block {number} (parent {parent}) does not extend the head")]
    NotOnHead {
        /// Number of the refused block.
        number: u64,
        /// Parent hash of the refused block.
        parent: B256,
    },
    /// The block contradicts itself: its header, hash, staged state, transactions or receipts do not fit together.
    #[error("inconsistent block: {0}")]
    Inconsistent(&'static str),
    /// One block creates more trie nodes, transactions or log positions than the format can number.
    #[error("block too large: {0}")]
    TooLarge(&'static str),
    /// A query did not finish before its deadline.
    #[error("query ran out of time")]
    Deadline,
}

impl StateError {
    /// Stable code of the error, for mapping at the rim.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Locked => "locked",
            Self::Io(_) => "io",
            Self::Corrupt(_) => "corrupt",
            Self::Format { .. } => "format",
            Self::Poisoned => "poisoned",
            Self::NotOnHead { .. } => "not-on-head",
            Self::Inconsistent(_) => "inconsistent",
            Self::TooLarge(_) => "too-large",
            Self::Deadline => "deadline",
        }
    }

    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt(what.into())
    }
}

impl From<fjall::Error> for StateError {
    fn from(error: fjall::Error) -> Self {
        match error {
            fjall::Error::Locked => Self::Locked,
            fjall::Error::Io(io) | fjall::Error::Storage(fjall::LsmError::Io(io)) => {
                Self::from_io(io)
            }
            fjall::Error::Poisoned => Self::Poisoned,
            other => Self::Corrupt(other.to_string()),
        }
    }
}

impl StateError {
    /// A file that ends early or holds impossible bytes is damage, not a failing disk.
    fn from_io(io: std::io::Error) -> Self {
        match io.kind() {
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidData => {
                Self::Corrupt(io.to_string())
            }
            _ => Self::Io(io),
        }
    }
}
