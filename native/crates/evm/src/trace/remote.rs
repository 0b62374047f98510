//! A trace in a process of its own: its state is asked for over a pipe, so that whatever a script does (never ending,
//! taking memory, overflowing the stack of the engine that runs it) ends with the process and harms nothing.
//!
//! Frames are a little-endian u32 length and bytes. The first one in is the plan, behind the little-endian u32 number of
//! the entry to begin with; each one out begins with a tag.

use super::TraceFailure;
use super::entries::Entries;
use super::plan::Plan;
use crate::overlay::{ReadError, analysed};
use alloy_primitives::{Address, B256, KECCAK256_EMPTY, U256};
use cairn_state::StateError;
use parking_lot::Mutex;
use revm::DatabaseRef;
use revm::bytecode::Bytecode;
use revm::state::AccountInfo;
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

/// The engine that runs scripts recurses.
const STACK_BYTES: usize = 256 << 20;
/// What a script may take beyond what the process has when it starts.
const MOST_GROWTH: usize = 256 << 20;
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Longest frame taken.
const MOST_FRAME: usize = 512 << 20;

type Out<W> = Arc<Mutex<W>>;

fn send<W: Write>(out: &Out<W>, tag: u8, body: &[u8]) -> io::Result<()> {
    let mut out = out.lock();
    let length = u32::try_from(body.len() + 1).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&[tag])?;
    out.write_all(body)?;
    out.flush()
}

fn receive(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MOST_FRAME {
        return Err(io::Error::other("frame too long"));
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(body)
}

struct Remote<R, W> {
    input: RefCell<R>,
    out: Out<W>,
    /// An account with this code: code is asked for by account.
    homes: RefCell<HashMap<B256, Address>>,
}

impl<R: Read, W: Write> Remote<R, W> {
    fn ask(&self, tag: u8, body: &[u8]) -> Result<Vec<u8>, ReadError> {
        send(&self.out, tag, body).map_err(StateError::Io)?;
        Ok(receive(&mut *self.input.borrow_mut()).map_err(StateError::Io)?)
    }
}

fn short() -> ReadError {
    StateError::Corrupt("short frame".to_owned()).into()
}

impl<R: Read, W: Write> DatabaseRef for Remote<R, W> {
    type Error = ReadError;

    fn basic_ref(&self, address: Address) -> Result<Option<AccountInfo>, ReadError> {
        let reply = self.ask(b'A', address.as_slice())?;
        let (Some(nonce), Some(balance), Some(code_hash)) =
            (reply.get(..8), reply.get(8..40), reply.get(40..72))
        else {
            return Ok(None);
        };
        let code_hash = B256::from_slice(code_hash);
        if code_hash.is_zero() {
            return Ok(None);
        }
        self.homes.borrow_mut().insert(code_hash, address);
        Ok(Some(AccountInfo {
            balance: U256::from_be_slice(balance),
            nonce: u64::from_be_bytes(nonce.try_into().map_err(|_| short())?),
            code_hash,
            account_id: None,
            code: (code_hash == KECCAK256_EMPTY).then(Bytecode::default),
        }))
    }

    fn code_by_hash_ref(&self, code_hash: B256) -> Result<Bytecode, ReadError> {
        let home = self.homes.borrow().get(&code_hash).copied();
        let home = home.ok_or_else(short)?;
        Ok(analysed(self.ask(b'C', home.as_slice())?.into()))
    }

    fn storage_ref(&self, address: Address, slot: U256) -> Result<U256, ReadError> {
        let mut body = address.to_vec();
        body.extend_from_slice(&slot.to_be_bytes::<32>());
        let reply = self.ask(b'S', &body)?;
        U256::try_from_be_slice(&reply).ok_or_else(short)
    }

    fn block_hash_ref(&self, number: u64) -> Result<B256, ReadError> {
        let reply = self.ask(b'H', &number.to_be_bytes())?;
        B256::try_from(reply.as_slice()).map_err(|_| short())
    }
}

/// Tells the parent when the process outgrew its memory, which then ends it.
fn watch_memory<W: Write + Send + 'static>(out: Out<W>) {
    let used = || memory_stats::memory_stats().map(|stats| stats.physical_mem);
    let Some(start) = used() else { return };
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(LOOK_EVERY);
            if used().is_some_and(|now| now > start + MOST_GROWTH) {
                let _ = send(&out, b'M', &[]);
                std::thread::sleep(Duration::from_millis(500));
                std::process::abort();
            }
        }
    });
}

fn serve<R: Read, W: Write>(mut input: R, out: &Out<W>) -> io::Result<()> {
    let text = receive(&mut input)?;
    let (from, text) = text
        .split_first_chunk::<4>()
        .ok_or_else(|| io::Error::other("short plan"))?;
    let plan: Plan = serde_json::from_slice(text).map_err(io::Error::other)?;
    let source = Remote {
        input: RefCell::new(input),
        out: out.clone(),
        homes: RefCell::default(),
    };
    let mut frames = Frames(out);
    frames.begin();
    let from = u32::from_le_bytes(*from) as usize;
    match plan.run(source, Arc::default(), from, &mut frames) {
        Ok(json) => send(out, b'R', json.unwrap_or_default().as_bytes()),
        Err(failure) => {
            let (code, text) = failure
                .describe()
                .unwrap_or_else(|fault| ("fault", fault.to_string()));
            send(out, b'E', format!("{code}\n{text}").as_bytes())
        }
    }
}

/// Sends entries as they are made.
struct Frames<'a, W>(&'a Out<W>);

impl<W: Write> Entries for Frames<'_, W> {
    fn begin(&mut self) {
        // A parent that is gone shows at the next question.
        let _ = send(self.0, b'N', &[]);
    }

    fn push(&mut self, json: &str) -> Result<(), TraceFailure> {
        let sent = send(self.0, b'T', json.as_bytes()).map_err(StateError::Io);
        Ok(sent.map_err(ReadError::from)?)
    }
}

/// Makes the one trace whose plan comes in over standard input; answers over standard output.
pub fn run_tracer() {
    let out = Arc::new(Mutex::new(io::stdout()));
    watch_memory(out.clone());
    let work = move || serve(io::stdin(), &out);
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    if let Ok(handle) = thread.spawn(work) {
        let _ = handle.join();
    }
}

impl From<ReadError> for TraceFailure {
    fn from(error: ReadError) -> Self {
        Self::Chain(error.0.into())
    }
}
