package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
)

var (
	valueSelector    = crypto.Keccak256([]byte("value()"))[:4]
	increaseSelector = crypto.Keccak256([]byte("increase(uint256)"))[:4]
	increasedTopic   = crypto.Keccak256Hash([]byte("Increased(address,uint256,uint256)"))
)

// The order matters: later checks read what earlier ones sent.
var checks = []check{
	{"chain id and network id agree", networkID},
	{"a contract is deployed and found at its address", deploy},
	{"a fee-market call is mined, its receipt and logs decode", increase},
	{"blocks by number and hash: hash, transactions root, receipts root and bloom recomputed", recompute},
	{"every tag names a block", tags},
	{"transactions by hash, index and sender", transactions},
	{"state now, pending and in the past", state},
	{"calls: result, revert data, by hash, pending", calls},
	{"gas: estimate, price, tip, fee history, blob base fee", gas},
	{"logs by range, topic and block hash; geth's texts on bad ranges", logs},
	{"subscriptions over WebSocket: heads, logs, pending transactions", subscriptions},
	{"getProof", proof},
	{"batches keep their order", batch},
	{"unknown things are NotFound", notFound},
	{"errors of sending carry geth's texts", sendErrors},
	{"syncing and modules", nodeInfo},
}

func networkID(s *suite) error {
	id, err := s.eth.NetworkID(s.ctx)
	if err != nil {
		return err
	}
	return expect(id.Cmp(s.chainID) == 0, "net_version %v, eth_chainId %v", id, s.chainID)
}

// send signs, sends and waits for a fee-market transaction.
func (s *suite) send(to *common.Address, data []byte, gas uint64) (*types.Transaction, *types.Receipt, error) {
	nonce, err := s.eth.PendingNonceAt(s.ctx, s.account)
	if err != nil {
		return nil, nil, err
	}
	tip, err := s.eth.SuggestGasTipCap(s.ctx)
	if err != nil {
		return nil, nil, err
	}
	cap := new(big.Int).Add(tip, big.NewInt(5_000_000_000))
	inner := &types.DynamicFeeTx{ChainID: s.chainID, Nonce: nonce, GasTipCap: tip, GasFeeCap: cap, Gas: gas, To: to, Data: data}
	tx, err := types.SignNewTx(s.key, types.LatestSignerForChainID(s.chainID), inner)
	if err != nil {
		return nil, nil, err
	}
	if err := s.eth.SendTransaction(s.ctx, tx); err != nil {
		return nil, nil, err
	}
	receipt, err := bind.WaitMined(s.ctx, s.eth, tx)
	return tx, receipt, err
}

func deploy(s *suite) error {
	_, receipt, err := s.send(nil, s.code, 1_000_000)
	if err != nil {
		return err
	}
	s.counter = receipt.ContractAddress
	code, err := s.eth.CodeAt(s.ctx, s.counter, receipt.BlockNumber)
	if err != nil {
		return err
	}
	return expect(receipt.Status == 1 && len(code) > 0, "status %d, %d bytes of code", receipt.Status, len(code))
}

func increaseBy(n int64) []byte {
	return append(bytes.Clone(increaseSelector), common.LeftPadBytes(big.NewInt(n).Bytes(), 32)...)
}

func increase(s *suite) error {
	tx, receipt, err := s.send(&s.counter, increaseBy(5), 200_000)
	if err != nil {
		return err
	}
	if len(receipt.Logs) != 1 {
		return fmt.Errorf("%d logs", len(receipt.Logs))
	}
	log := receipt.Logs[0]
	ok := log.Topics[0] == increasedTopic && log.TxHash == tx.Hash() && log.BlockHash == receipt.BlockHash
	return expect(ok && types.CreateBloom(receipt) == receipt.Bloom, "log %+v", log)
}

func recompute(s *suite) error {
	head, err := s.eth.BlockNumber(s.ctx)
	if err != nil {
		return err
	}
	for number := uint64(0); number <= head; number++ {
		block, err := s.eth.BlockByNumber(s.ctx, new(big.Int).SetUint64(number))
		if err != nil {
			return fmt.Errorf("block %d: %w", number, err)
		}
		again, err := s.eth.BlockByHash(s.ctx, block.Hash())
		if err != nil {
			return fmt.Errorf("block %d by its recomputed hash: %w", number, err)
		}
		receipts, err := s.eth.BlockReceipts(s.ctx, rpc.BlockNumberOrHashWithHash(block.Hash(), false))
		if err != nil {
			return err
		}
		roots := types.DeriveSha(block.Transactions(), trie.NewStackTrie(nil)) == block.TxHash() &&
			types.DeriveSha(types.Receipts(receipts), trie.NewStackTrie(nil)) == block.ReceiptHash() &&
			types.MergeBloom(receipts) == block.Bloom()
		if !roots || again.NumberU64() != number || block.Size() == 0 {
			return fmt.Errorf("block %d does not recompute", number)
		}
	}
	return nil
}

func tags(s *suite) error {
	for _, tag := range []rpc.BlockNumber{rpc.EarliestBlockNumber, rpc.LatestBlockNumber, rpc.SafeBlockNumber, rpc.FinalizedBlockNumber} {
		if _, err := s.eth.HeaderByNumber(s.ctx, big.NewInt(tag.Int64())); err != nil {
			return fmt.Errorf("%v: %w", tag, err)
		}
	}
	count, err := s.eth.PendingTransactionCount(s.ctx)
	if err != nil {
		return err
	}
	return expect(count < 1000, "%d pending", count)
}

func transactions(s *suite) error {
	tx, receipt, err := s.send(&s.account, nil, 21_000)
	if err != nil {
		return err
	}
	found, pending, err := s.eth.TransactionByHash(s.ctx, tx.Hash())
	if err != nil || pending || found.Hash() != tx.Hash() {
		return fmt.Errorf("by hash: pending %v, %v", pending, err)
	}
	placed, err := s.eth.TransactionInBlock(s.ctx, receipt.BlockHash, receipt.TransactionIndex)
	if err != nil || placed.Hash() != tx.Hash() {
		return fmt.Errorf("in block: %v", err)
	}
	sender, err := s.eth.TransactionSender(s.ctx, tx, receipt.BlockHash, receipt.TransactionIndex)
	if err != nil {
		return err
	}
	count, err := s.eth.TransactionCount(s.ctx, receipt.BlockHash)
	if err != nil {
		return err
	}
	return expect(sender == s.account && count >= 1, "sender %v, count %d", sender, count)
}

func state(s *suite) error {
	now, err := s.eth.BalanceAt(s.ctx, s.account, nil)
	if err != nil {
		return err
	}
	pending, err := s.eth.PendingBalanceAt(s.ctx, s.account)
	if err != nil {
		return err
	}
	before, err := s.eth.BalanceAt(s.ctx, s.account, big.NewInt(0))
	if err != nil {
		return err
	}
	nonce, err := s.eth.NonceAt(s.ctx, s.account, nil)
	if err != nil {
		return err
	}
	word, err := s.eth.StorageAt(s.ctx, s.counter, common.Hash{}, nil)
	if err != nil {
		return err
	}
	_, err = s.eth.BalanceAt(s.ctx, s.account, big.NewInt(1_000_000_000))
	if err == nil || err.Error() != "header not found" {
		return fmt.Errorf("state of a future block: %v", err)
	}
	ok := now.Sign() > 0 && pending.Cmp(now) == 0 && before.Sign() == 0 && nonce >= 3
	return expect(ok && new(big.Int).SetBytes(word).Int64() == 5, "balance %v, at genesis %v, nonce %d, word %x", now, before, nonce, word)
}

func calls(s *suite) error {
	msg := ethereum.CallMsg{From: s.account, To: &s.counter, Data: valueSelector}
	head, err := s.eth.HeaderByNumber(s.ctx, nil)
	if err != nil {
		return err
	}
	latest, err := s.eth.CallContract(s.ctx, msg, nil)
	if err != nil {
		return err
	}
	byHash, err := s.eth.CallContractAtHash(s.ctx, msg, head.Hash())
	if err != nil {
		return err
	}
	pending, err := s.eth.PendingCallContract(s.ctx, msg)
	if err != nil {
		return err
	}
	if new(big.Int).SetBytes(latest).Int64() != 5 || !bytes.Equal(latest, byHash) || !bytes.Equal(latest, pending) {
		return fmt.Errorf("results %x %x %x", latest, byHash, pending)
	}
	_, err = s.eth.CallContract(s.ctx, ethereum.CallMsg{From: s.account, To: &s.counter, Data: increaseBy(0)}, nil)
	var coded rpc.Error
	var dataError rpc.DataError
	if !errors.As(err, &coded) || !errors.As(err, &dataError) || coded.ErrorCode() != 3 {
		return fmt.Errorf("revert: %v", err)
	}
	return expect(err.Error() == "execution reverted: nothing to add", "text: %v", err)
}

func gas(s *suite) error {
	msg := ethereum.CallMsg{From: s.account, To: &s.counter, Data: increaseBy(1)}
	estimate, err := s.eth.EstimateGas(s.ctx, msg)
	if err != nil {
		return err
	}
	_, receipt, err := s.send(&s.counter, increaseBy(1), estimate)
	if err != nil || receipt.Status != 1 {
		return fmt.Errorf("the estimate %d does not suffice: %v", estimate, err)
	}
	price, err := s.eth.SuggestGasPrice(s.ctx)
	if err != nil {
		return err
	}
	blob, err := s.eth.BlobBaseFee(s.ctx)
	if err != nil {
		return err
	}
	history, err := s.eth.FeeHistory(s.ctx, 4, nil, []float64{10, 50, 90})
	if err != nil {
		return err
	}
	ok := price.Sign() > 0 && blob.Sign() > 0 && len(history.BaseFee) == len(history.Reward)+1
	return expect(ok && len(history.GasUsedRatio) == len(history.Reward), "history %+v", history)
}
