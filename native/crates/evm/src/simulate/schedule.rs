//! Numbers and times of the blocks to simulate.

use super::SimulateBlock;
use super::stop::{Stop, fail};
use alloy_consensus::Header;
use alloy_primitives::U256;

/// Most blocks of one simulation, gaps included.
const MAX_BLOCKS: u64 = 256;

/// Seconds from one block to the next where the request names none.
const SECONDS_PER_BLOCK: u64 = 12;

/// Fills in numbers and times, and the empty blocks of gaps.
pub(super) fn complete(
    base: &Header,
    blocks: &[SimulateBlock],
) -> Result<Vec<SimulateBlock>, Stop> {
    let (mut number, mut time) = (base.number, base.timestamp);
    let mut complete = Vec::with_capacity(blocks.len());
    for block in blocks {
        let next = next_number(block, number, base.number)?;
        for gap in number + 1..next {
            time = time.saturating_add(SECONDS_PER_BLOCK);
            complete.push(at(SimulateBlock::default(), gap, time));
        }
        number = next;
        time = next_time(block, time)?;
        complete.push(at(block.clone(), number, time));
    }
    Ok(complete)
}

fn next_number(block: &SimulateBlock, number: u64, base: u64) -> Result<u64, Stop> {
    let wanted = block.block_overrides.number;
    let wanted = wanted.unwrap_or_else(|| U256::from(number) + U256::from(1));
    if wanted <= U256::from(number) {
        let low = wanted.saturating_to::<u64>();
        return fail(
            -38020,
            format!("block numbers must be in order: {low} <= {number}"),
        );
    }
    if wanted - U256::from(base) > U256::from(MAX_BLOCKS) {
        return fail(-38026, "too many blocks");
    }
    Ok(wanted.saturating_to())
}

fn next_time(block: &SimulateBlock, time: u64) -> Result<u64, Stop> {
    let next = block.block_overrides.time;
    let next = next.unwrap_or_else(|| time.saturating_add(SECONDS_PER_BLOCK));
    if next <= time {
        return fail(
            -38021,
            format!("block timestamps must be in order: {next} <= {time}"),
        );
    }
    Ok(next)
}

fn at(mut block: SimulateBlock, number: u64, time: u64) -> SimulateBlock {
    block.block_overrides.number = Some(U256::from(number));
    block.block_overrides.time = Some(time);
    block
}
