//! The chain database as its users see it, on real directories.

mod blocks;
mod chain;
mod crash;
mod damage;
mod listing;
mod logs;
mod oracle;
mod state;
