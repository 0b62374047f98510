package main

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
)

func logs(s *suite) error {
	query := ethereum.FilterQuery{FromBlock: big.NewInt(0), Addresses: []common.Address{s.counter}, Topics: [][]common.Hash{{increasedTopic}}}
	all, err := s.eth.FilterLogs(s.ctx, query)
	if err != nil || len(all) != 2 {
		return fmt.Errorf("by range: %d logs, %v", len(all), err)
	}
	block := all[0].BlockHash
	one, err := s.eth.FilterLogs(s.ctx, ethereum.FilterQuery{BlockHash: &block, Addresses: query.Addresses})
	if err != nil || len(one) != 1 || one[0].Index != all[0].Index || one[0].BlockTimestamp != all[0].BlockTimestamp {
		return fmt.Errorf("by block hash: %v, %v", one, err)
	}
	_, err = s.eth.FilterLogs(s.ctx, ethereum.FilterQuery{FromBlock: big.NewInt(5), ToBlock: big.NewInt(1)})
	if err == nil || err.Error() != "invalid block range params" {
		return fmt.Errorf("reversed range: %v", err)
	}
	none, err := s.eth.FilterLogs(s.ctx, ethereum.FilterQuery{FromBlock: big.NewInt(0), Topics: [][]common.Hash{{{1}}}})
	return errors.Join(err, expect(len(none) == 0, "%d logs of an unknown topic", len(none)))
}

func subscriptions(s *suite) error {
	heads, found, hashes := make(chan *types.Header, 64), make(chan types.Log, 8), make(chan common.Hash, 8)
	headSub, err := s.ws.SubscribeNewHead(s.ctx, heads)
	if err != nil {
		return err
	}
	defer headSub.Unsubscribe()
	logSub, err := s.ws.SubscribeFilterLogs(s.ctx, ethereum.FilterQuery{Addresses: []common.Address{s.counter}}, found)
	if err != nil {
		return err
	}
	defer logSub.Unsubscribe()
	pendingSub, err := s.wsGeth.SubscribePendingTransactions(s.ctx, hashes)
	if err != nil {
		return err
	}
	defer pendingSub.Unsubscribe()
	tx, receipt, err := s.send(&s.counter, increaseBy(1), 200_000)
	if err != nil {
		return err
	}
	deadline := time.After(20 * time.Second)
	for seenHead, seenLog, seenPending := false, false, false; !seenHead || !seenLog || !seenPending; {
		select {
		case head := <-heads:
			seenHead = seenHead || head.Hash() == receipt.BlockHash
		case log := <-found:
			seenLog = seenLog || log.TxHash == tx.Hash()
		case hash := <-hashes:
			seenPending = seenPending || hash == tx.Hash()
		case err := <-headSub.Err():
			return fmt.Errorf("ended: %w", err)
		case <-deadline:
			return fmt.Errorf("head %v, log %v, pending %v", seenHead, seenLog, seenPending)
		}
	}
	return nil
}

// proofNodes puts the nodes of a proof under their hashes, as trie.VerifyProof wants them.
func proofNodes(nodes []string) (*memorydb.Database, error) {
	db := memorydb.New()
	for _, node := range nodes {
		bytes := common.FromHex(node)
		if err := db.Put(crypto.Keccak256(bytes), bytes); err != nil {
			return nil, err
		}
	}
	return db, nil
}

func proof(s *suite) error {
	header, err := s.eth.HeaderByNumber(s.ctx, nil)
	if err != nil {
		return err
	}
	result, err := s.geth.GetProof(s.ctx, s.counter, []string{"0x0"}, header.Number)
	if err != nil {
		return err
	}
	account, err := proofNodes(result.AccountProof)
	if err != nil {
		return err
	}
	value, err := trie.VerifyProof(header.Root, crypto.Keccak256(s.counter.Bytes()), account)
	if err != nil || len(value) == 0 {
		return fmt.Errorf("account: %w", err)
	}
	storage, err := proofNodes(result.StorageProof[0].Proof)
	if err != nil {
		return err
	}
	word, err := trie.VerifyProof(result.StorageHash, crypto.Keccak256(common.Hash{}.Bytes()), storage)
	if err != nil || len(word) == 0 {
		return fmt.Errorf("storage: %w", err)
	}
	absent, err := s.geth.GetProof(s.ctx, common.HexToAddress("0x00000000000000000000000000000000000abcde"), nil, header.Number)
	if err != nil {
		return err
	}
	nodes, err := proofNodes(absent.AccountProof)
	if err != nil {
		return err
	}
	value, err = trie.VerifyProof(header.Root, crypto.Keccak256(absent.Address.Bytes()), nodes)
	return errors.Join(err, expect(value == nil, "an absent account has the value %x", value))
}

func batch(s *suite) error {
	var number hexutil.Uint64
	var chain hexutil.Big
	var nothing any
	calls := []rpc.BatchElem{
		{Method: "eth_blockNumber", Result: &number},
		{Method: "eth_noSuchMethod", Result: &nothing},
		{Method: "eth_chainId", Result: &chain},
	}
	if err := s.rpc.BatchCallContext(s.ctx, calls); err != nil {
		return err
	}
	var coded rpc.Error
	ok := calls[0].Error == nil && errors.As(calls[1].Error, &coded) && coded.ErrorCode() == -32601 && calls[2].Error == nil
	return expect(ok && number > 0 && chain.ToInt().Cmp(s.chainID) == 0, "%+v", calls)
}

func notFound(s *suite) error {
	unknown := common.HexToHash("0x01")
	_, err := s.eth.HeaderByHash(s.ctx, unknown)
	_, byNumber := s.eth.BlockByNumber(s.ctx, big.NewInt(1_000_000_000))
	_, _, byHash := s.eth.TransactionByHash(s.ctx, unknown)
	_, receipt := s.eth.TransactionReceipt(s.ctx, unknown)
	for _, got := range []error{err, byNumber, byHash, receipt} {
		if !errors.Is(got, ethereum.NotFound) {
			return fmt.Errorf("%v", got)
		}
	}
	return nil
}

func sendErrors(s *suite) error {
	signer := types.LatestSignerForChainID(s.chainID)
	inner := types.LegacyTx{Nonce: 0, To: &s.account, Gas: 21_000, GasPrice: big.NewInt(5_000_000_000)}
	foreign := types.LatestSignerForChainID(big.NewInt(1))
	nonce, err := s.eth.PendingNonceAt(s.ctx, s.account)
	if err != nil {
		return err
	}
	rich := inner
	rich.Nonce, rich.Value = nonce, new(big.Int).Lsh(big.NewInt(1), 100)
	poorGas := inner
	poorGas.Nonce, poorGas.Gas = nonce, 20_000
	cases := []struct {
		signer types.Signer
		tx     types.LegacyTx
		text   string
	}{
		{signer, inner, "nonce too low"},
		{signer, rich, "insufficient funds for gas * price + value"},
		{signer, poorGas, "intrinsic gas too low"},
		{foreign, inner, "invalid chain id for signer"},
	}
	for _, c := range cases {
		tx, err := types.SignNewTx(s.key, c.signer, &c.tx)
		if err != nil {
			return err
		}
		if err := s.eth.SendTransaction(s.ctx, tx); err == nil || !strings.Contains(err.Error(), c.text) {
			return fmt.Errorf("wanted %q, got %v", c.text, err)
		}
	}
	return nil
}

func nodeInfo(s *suite) error {
	progress, err := s.eth.SyncProgress(s.ctx)
	if err != nil || progress != nil {
		return fmt.Errorf("syncing: %+v %v", progress, err)
	}
	modules, err := s.rpc.SupportedModules()
	if err != nil {
		return err
	}
	return expect(modules["eth"] != "" && modules["rpc"] != "", "modules %v", modules)
}
