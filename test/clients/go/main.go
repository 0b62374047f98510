// Command ethclient-suite runs go-ethereum's unmodified ethclient against a node and prints one JSON line per check.
//
// The environment names the node and what the caller put on its chain: RPC_URL, WS_URL, PRIVATE_KEY (a funded key used
// by nobody else) and COUNTER_CODE (creation code of the counter contract of the test suites).
package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/ethclient/gethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

// suite is what the checks share.
type suite struct {
	ctx     context.Context
	rpc     *rpc.Client
	eth     *ethclient.Client
	geth    *gethclient.Client
	ws      *ethclient.Client
	wsGeth  *gethclient.Client
	key     *ecdsa.PrivateKey
	account common.Address
	chainID *big.Int
	code    []byte
	counter common.Address
}

type check struct {
	name string
	run  func(*suite) error
}

func main() {
	s, err := connect()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, c := range checks {
		report(c.name, c.run(s))
	}
}

func connect() (*suite, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	_ = cancel // The process ends with the suite.
	client, err := rpc.DialContext(ctx, os.Getenv("RPC_URL"))
	if err != nil {
		return nil, err
	}
	socket, err := rpc.DialContext(ctx, os.Getenv("WS_URL"))
	if err != nil {
		return nil, err
	}
	key, err := crypto.HexToECDSA(strings.TrimPrefix(os.Getenv("PRIVATE_KEY"), "0x"))
	if err != nil {
		return nil, err
	}
	s := &suite{ctx: ctx, rpc: client, eth: ethclient.NewClient(client), geth: gethclient.New(client), key: key}
	s.ws, s.wsGeth = ethclient.NewClient(socket), gethclient.New(socket)
	s.account = crypto.PubkeyToAddress(key.PublicKey)
	s.code = common.FromHex(os.Getenv("COUNTER_CODE"))
	s.chainID, err = s.eth.ChainID(ctx)
	return s, err
}

func report(name string, err error) {
	line := map[string]any{"check": name, "ok": err == nil}
	if err != nil {
		line["detail"] = err.Error()
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

// expect fails with the formatted text unless the condition holds.
func expect(condition bool, format string, args ...any) error {
	if condition {
		return nil
	}
	return fmt.Errorf(format, args...)
}
