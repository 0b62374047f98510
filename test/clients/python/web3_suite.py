"""Runs unmodified web3.py against a node and prints one JSON line per check.

The environment names the node and what the caller funded: RPC_URL, WS_URL, PRIVATE_KEY (used by nobody else),
COUNTER_CODE and COUNTER_ABI (the counter contract of the test suites).
"""

import asyncio
import json
import os

from eth_account import Account
from hexbytes import HexBytes
from web3 import AsyncWeb3, Web3, WebSocketProvider
from web3.exceptions import (
    BlockNotFound,
    ContractLogicError,
    TransactionNotFound,
    Web3RPCError,
)

w3 = Web3(Web3.HTTPProvider(os.environ["RPC_URL"]))
account = Account.from_key(os.environ["PRIVATE_KEY"])
shared = {}
checks = []


def check(name):
    """Registers a check; they run in the order of this file."""

    def register(function):
        checks.append((name, function))
        return function

    return register


def send(transaction):
    """Fills in, signs, sends and waits."""
    filled = {
        "from": account.address,
        "chainId": w3.eth.chain_id,
        "nonce": w3.eth.get_transaction_count(account.address, "pending"),
        **transaction,
    }
    if "gasPrice" not in filled and "maxFeePerGas" not in filled:
        tip = w3.eth.max_priority_fee
        filled["maxPriorityFeePerGas"] = tip
        filled["maxFeePerGas"] = tip + 5 * 10**9
    if "gas" not in filled:
        filled["gas"] = w3.eth.estimate_gas(filled)
    signed = account.sign_transaction({key: value for key, value in filled.items() if key != "from"})
    digest = w3.eth.send_raw_transaction(signed.raw_transaction)
    return w3.eth.wait_for_transaction_receipt(digest, timeout=30, poll_latency=0.1)


@check("node: connected, client version, network, syncing, modules")
def node_info():
    assert w3.is_connected()
    assert w3.client_version.lower().startswith("cairn/")
    assert w3.net.version == str(w3.eth.chain_id)
    assert w3.net.listening is True
    assert w3.net.peer_count == 0
    assert w3.eth.syncing is False


@check("a contract is deployed with a filled-in fee-market transaction")
def deploy():
    abi = json.loads(os.environ["COUNTER_ABI"])
    factory = w3.eth.contract(abi=abi, bytecode=os.environ["COUNTER_CODE"])
    receipt = send(factory.constructor().build_transaction({"from": account.address, "nonce": 0}))
    assert receipt.status == 1 and receipt.type == 2, receipt
    shared["counter"] = w3.eth.contract(address=receipt.contractAddress, abi=abi)
    assert w3.eth.get_code(receipt.contractAddress)


@check("a call changes state; its receipt decodes to an event")
def increase():
    counter = shared["counter"]
    nonce = w3.eth.get_transaction_count(account.address)
    receipt = send(counter.functions.increase(5).build_transaction({"from": account.address, "nonce": nonce}))
    (event,) = counter.events.Increased().process_receipt(receipt)
    assert event.args.value == 5 and event.args.by == account.address, event
    assert event.args.round == receipt.blockNumber
    assert counter.functions.value().call() == 5
    assert counter.functions.value().call(block_identifier=receipt.blockNumber - 1) == 0
    shared["receipt"] = receipt


@check("reverts carry their reason, in calls and in estimates")
def reverts():
    failing = shared["counter"].functions.increase(0)
    for attempt in (failing.call, failing.estimate_gas):
        try:
            attempt({"from": account.address})
        except ContractLogicError as error:
            assert "nothing to add" in str(error), error
        else:
            raise AssertionError("no revert")


@check("legacy and access-list transactions")
def older_types():
    price = w3.eth.gas_price
    receipt = send({"to": account.address, "value": 1, "gas": 21000, "gasPrice": price})
    assert receipt.type == 0 and receipt.gasUsed == 21000
    counter = shared["counter"].address
    access = [{"address": counter, "storageKeys": ["0x" + "00" * 32]}]
    receipt = send({"to": counter, "data": "0x3fa4f245", "accessList": access, "gasPrice": price, "type": 1})
    assert receipt.type == 1 and receipt.status == 1


@check("blocks by number, hash and tag; transactions in them")
def blocks():
    number = shared["receipt"].blockNumber
    block = w3.eth.get_block(number, full_transactions=True)
    assert w3.eth.get_block(block.hash).number == number
    for tag in ("latest", "earliest", "pending", "safe", "finalized"):
        assert w3.eth.get_block(tag) is not None
    assert w3.eth.get_block_transaction_count(number) == len(block.transactions)
    first = block.transactions[0]
    assert w3.eth.get_transaction_by_block(number, 0).hash == first.hash
    assert w3.eth.get_raw_transaction(first.hash) == w3.eth.get_raw_transaction_by_block(number, 0)
    assert Web3.keccak(w3.eth.get_raw_transaction(first.hash)) == first.hash
    assert w3.eth.get_uncle_count(number) == 0
    receipts = w3.eth.get_block_receipts(number)
    assert [r.transactionHash for r in receipts] == [t.hash for t in block.transactions]


@check("unknown blocks and transactions raise web3.py's own errors")
def unknown():
    for attempt, expected in (
        (lambda: w3.eth.get_block(10**9), BlockNotFound),
        (lambda: w3.eth.get_transaction(HexBytes(b"\x01" * 32)), TransactionNotFound),
        (lambda: w3.eth.get_transaction_receipt(HexBytes(b"\x01" * 32)), TransactionNotFound),
    ):
        try:
            attempt()
        except expected:
            continue
        raise AssertionError(expected.__name__)


@check("logs and filters")
def logs():
    counter = shared["counter"]
    (event,) = counter.events.Increased().get_logs(from_block=0)
    assert event.transactionHash == shared["receipt"].transactionHash
    watch = counter.events.Increased.create_filter(from_block="latest")
    heads = w3.eth.filter("latest")
    pending = w3.eth.filter("pending")
    nonce = w3.eth.get_transaction_count(account.address)
    receipt = send(counter.functions.increase(2).build_transaction({"from": account.address, "nonce": nonce}))
    assert [entry.transactionHash for entry in watch.get_new_entries()] == [receipt.transactionHash]
    assert receipt.blockHash in heads.get_new_entries()
    assert receipt.transactionHash in pending.get_new_entries()
    assert [entry.transactionHash for entry in w3.eth.get_filter_logs(watch.filter_id)] == [receipt.transactionHash]
    assert w3.eth.uninstall_filter(watch.filter_id) is True
    assert w3.eth.uninstall_filter(watch.filter_id) is False


@check("proofs, storage, nonces, balances at heights")
def state():
    counter = shared["counter"].address
    block = w3.eth.get_block("latest")
    proof = w3.eth.get_proof(counter, [0], block.number)
    assert proof.storageProof[0].value == HexBytes("0x07"), proof.storageProof
    assert Web3.keccak(proof.accountProof[0]) == block.stateRoot
    assert Web3.keccak(proof.storageProof[0].proof[0]) == proof.storageHash
    assert int.from_bytes(w3.eth.get_storage_at(counter, 0)) == 7
    assert w3.eth.get_balance(account.address, 0) == 0
    assert w3.eth.get_balance(account.address) > 0


@check("fee history, gas price, tip, blob base fee")
def fees():
    history = w3.eth.fee_history(3, "latest", [25, 75])
    assert len(history.baseFeePerGas) == len(history.reward) + 1
    assert w3.eth.gas_price >= history.baseFeePerGas[-1]
    assert w3.eth.max_priority_fee > 0
    assert w3.eth.blob_base_fee == 1


@check("errors of sending reach the caller with geth's text")
def send_errors():
    try:
        send({"to": account.address, "gas": 21000, "nonce": 0})
    except Web3RPCError as error:
        assert "nonce too low" in str(error), error
    else:
        raise AssertionError("accepted")


@check("batches keep their order")
def batches():
    with w3.batch_requests() as batch:
        batch.add(w3.eth.get_block(0))
        batch.add(w3.eth.get_balance(account.address))
        block, balance = batch.execute()
    assert block.number == 0 and balance > 0


@check("WebSocket: heads and logs arrive")
def websocket():
    async def run():
        async with AsyncWeb3(WebSocketProvider(os.environ["WS_URL"])) as socket:
            heads = await socket.eth.subscribe("newHeads")
            logs_id = await socket.eth.subscribe("logs", {"address": shared["counter"].address})
            call = shared["counter"].functions.increase(1)
            nonce = w3.eth.get_transaction_count(account.address)
            filled = call.build_transaction({"from": account.address, "nonce": nonce})
            receipt = await asyncio.to_thread(send, filled)
            seen = set()
            async for message in socket.socket.process_subscriptions():
                result = message["result"]
                if message["subscription"] == heads and result["hash"] == receipt.blockHash:
                    seen.add("head")
                if message["subscription"] == logs_id and result["transactionHash"] == receipt.transactionHash:
                    seen.add("log")
                if len(seen) == 2:
                    break
            assert await socket.eth.unsubscribe(heads)

    asyncio.run(asyncio.wait_for(run(), 30))


def main():
    for name, function in checks:
        line = {"check": name, "ok": True}
        try:
            function()
        except Exception as error:  # every failure is a line of the report
            line = {"check": name, "ok": False, "detail": f"{type(error).__name__}: {error}"}
        print(json.dumps(line), flush=True)


main()
