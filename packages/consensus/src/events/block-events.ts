/** The events of a decided block, in the order CometBFT publishes them, in its JSON. */
import type { AbciEvent, ExecTxResult, FinalizeBlockResponse } from "@cairn/abci";
import {
  blockIdToJson,
  blockToJson,
  bytesToUpperHex,
  createValidator,
  headerToJson,
  validatorsToJson,
} from "@cairn/comet";
import type { SealedBlock } from "../make-block.ts";
import { eventsToJson, paramUpdatesToJson, txResultToText, validatorUpdateToJson } from "../results.ts";
import { createPublished, type Published } from "./published.ts";

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

function omitEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Go's `omitempty` of a result that stands by value: zero members vanish. */
function sparseResult({ code, data, log, info, gasWanted, gasUsed, events, codespace }: ExecTxResult): object {
  return {
    code: code || undefined,
    data: data.length === 0 ? undefined : base64(data),
    log: log || undefined,
    info: info || undefined,
    gas_wanted: gasWanted === 0n ? undefined : String(gasWanted),
    gas_used: gasUsed === 0n ? undefined : String(gasUsed),
    events: events.length === 0 ? undefined : eventsToJson(events),
    codespace: codespace || undefined,
  };
}

function newBlockValue({ block, id }: SealedBlock, response: FinalizeBlockResponse): string {
  const { events, txResults, validatorUpdates, consensusParamUpdates, appHash } = response;
  const head = JSON.stringify({ block: blockToJson(block, base64), block_id: blockIdToJson(id) });
  const before = events.length === 0 ? "" : `"events":${JSON.stringify(eventsToJson(events))},`;
  const results = txResults.length === 0 ? "" : `"tx_results":[${txResults.map(txResultToText).join(",")}],`;
  const after = JSON.stringify({
    validator_updates: validatorUpdates.map(validatorUpdateToJson),
    consensus_param_updates: consensusParamUpdates && paramUpdatesToJson(consensusParamUpdates),
    app_hash: appHash.length === 0 ? undefined : base64(appHash),
  });
  return `${head.slice(0, -1)},"result_finalize_block":{${before}${results}${after.slice(1)}}`;
}

function txEvent({ block, txHashes }: SealedBlock, index: number, result: ExecTxResult): Published {
  const height = String(block.header.height);
  return createPublished({
    kind: "Tx",
    value: () => {
      const tx = base64(block.txs[index] ?? new Uint8Array(0));
      return JSON.stringify({ TxResult: { height, index: index || undefined, tx, result: sparseResult(result) } });
    },
    events: () => result.events,
    shown: { "tx.hash": bytesToUpperHex(txHashes[index] ?? new Uint8Array(0)), "tx.height": height },
  });
}

function validatorsEvent({ validatorUpdates }: FinalizeBlockResponse): Published {
  return createPublished({
    kind: "ValidatorSetUpdates",
    value: () => {
      const set = validatorUpdates.map(({ pubKeyType, pubKey, power }) =>
        createValidator({ type: pubKeyType, bytes: pubKey }, power),
      );
      return JSON.stringify({ validator_updates: validatorsToJson(set) });
    },
  });
}

/**
 * NewBlock, NewBlockHeader, NewBlockEvents, Tx for each transaction, ValidatorSetUpdates when there are any. The first
 * three also match `block.height`, which CometBFT's subscriptions do not know.
 */
export function blockEvents(sealed: SealedBlock, response: FinalizeBlockResponse): readonly Published[] {
  const { header, txs } = sealed.block;
  const height = String(header.height);
  const events = (): readonly AbciEvent[] => response.events;
  const matched = { "block.height": height };
  return [
    createPublished({ kind: "NewBlock", value: () => newBlockValue(sealed, response), events, matched }),
    createPublished({
      kind: "NewBlockHeader",
      value: () => JSON.stringify({ header: headerToJson(header) }),
      matched,
    }),
    createPublished({
      kind: "NewBlockEvents",
      value: () => {
        const list = omitEmpty(response.events);
        return JSON.stringify({ height, events: list ? eventsToJson(list) : null, num_txs: String(txs.length) });
      },
      events,
      matched,
    }),
    ...response.txResults.map((result, index) => txEvent(sealed, index, result)),
    ...(response.validatorUpdates.length === 0 ? [] : [validatorsEvent(response)]),
  ];
}
