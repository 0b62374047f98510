//! Transactions by the accounts they touched.

use super::ExploreFailure;
use crate::chain::Chain;
use crate::json::JsonWriter;
use crate::read::BlockRef;
use alloy_primitives::Address;

impl Chain {
    /// Hashes of the transactions that touched an account, and whether there are more beyond.
    pub(super) fn touching(
        &self,
        address: &Address,
        (from, to): (BlockRef, BlockRef),
        backwards: bool,
        least: usize,
    ) -> Result<String, ExploreFailure> {
        let height = |block| match block {
            BlockRef::Number(number) => Ok(number),
            BlockRef::Pending => Err(ExploreFailure::UnknownBlock),
            BlockRef::Hash(hash) => self
                .block_number(&hash)?
                .ok_or(ExploreFailure::UnknownBlock),
        };
        let range = height(from)?..=height(to)?;
        let found = self.store.touching(address, range, backwards, least)?;
        let mut json = JsonWriter::default();
        json.open_object();
        json.key("hashes");
        json.open_array();
        for location in found.locations {
            let tx = self.store.transaction(location)?;
            json.bytes(tx.ok_or(ExploreFailure::Unknown)?.hash.as_slice());
        }
        json.close_array();
        json.key("more");
        json.raw(if found.more { "true" } else { "false" });
        json.close_object();
        Ok(json.finish())
    }
}
