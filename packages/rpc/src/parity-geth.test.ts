/** Estimates, calls, access lists and simulations of this node and of geth on the same genesis. */
import { describe, it } from "node:test";
import { type Hex, pad, toHex } from "viem";
import { skipWithoutGeth } from "./testing/geth-node.ts";
import { contracts } from "./testing/parity-alloc.ts";
import { alice, bob, poor, withParityPeers } from "./testing/parity-peers.ts";

const from = alice.address;
const to = bob.address;
const GWEI_2 = "0x77359400";
const ether = (count: bigint): Hex => toHex(count * 10n ** 18n);
const bytes = (byte: string, count: number): Hex => `0x${byte.repeat(count)}`;

describe("executes as geth does", { skip: skipWithoutGeth, timeout: 120_000 }, () => {
  const same = withParityPeers();
  const authorize = async (nonce: number) => {
    const signed = await bob.signAuthorization({ contractAddress: contracts.caller, chainId: 358_587, nonce });
    const { address, r, s, yParity = 0 } = signed;
    return { chainId: toHex(358_587), address, nonce: toHex(nonce), yParity: toHex(yParity), r, s };
  };

  for (const [name, contract] of Object.entries(contracts)) {
    it(`${name}: estimates`, async () => {
      const call = { from, to: contract };
      await same("eth_estimateGas", call);
      await same("eth_estimateGas", { to: contract });
      for (const gas of ["0x5000", "0x7530", "0x30d40"]) await same("eth_estimateGas", { ...call, gas });
      await same("eth_estimateGas", { ...call, gasPrice: GWEI_2 });
      await same("eth_estimateGas", { ...call, maxFeePerGas: GWEI_2, maxPriorityFeePerGas: "0x1" });
      await same("eth_estimateGas", { from: poor.address, to: contract, gasPrice: GWEI_2 });
      for (const sender of [from, poor.address])
        await same("eth_estimateGas", { from: sender, to: contract, value: "0x1" });
      for (const data of [bytes("ff", 100), bytes("ff", 5000), bytes("00", 5000)])
        await same("eth_estimateGas", { ...call, data });
      const storageKeys = [pad("0x00"), pad("0x01")];
      for (const address of [contract, contracts.loop]) {
        await same("eth_estimateGas", { ...call, accessList: [{ address, storageKeys }] });
      }
    });

    it(`${name}: calls, access lists, simulations`, async () => {
      const call = { from, to: contract };
      await same("eth_call", call, "latest");
      await same("eth_call", { to: contract });
      for (const gas of ["0x5207", "0x30d40"]) await same("eth_call", { ...call, gas });
      for (const gasPrice of [GWEI_2, "0x1"]) await same("eth_call", { ...call, gasPrice });
      await same("eth_call", { ...call, maxFeePerGas: "0x1" });
      await same("eth_call", { from: poor.address, to: contract, gasPrice: GWEI_2 });
      await same("eth_call", { ...call, value: ether(20_000n) });
      await same("eth_createAccessList", call, "latest");
      const blockOverrides = { time: "0x70000000", feeRecipient: to, prevRandao: pad("0x5"), number: "0x1" };
      const simulate = (simulated: object, options: object = {}) =>
        same("eth_simulateV1", { blockStateCalls: [{ blockOverrides, calls: [simulated] }], ...options }, "latest");
      await simulate(call);
      await simulate(call, { traceTransfers: true });
      await simulate({ ...call, gas: "0x30d40" });
      await simulate({ ...call, value: "0x1" }, { traceTransfers: true });
    });
  }

  it("transfers, with and without the means", async () => {
    for (const value of ["0x0", "0x1", ether(1n), ether(10_000n), ether(20_000n)]) {
      for (const sender of [from, poor.address]) await same("eth_estimateGas", { from: sender, to, value });
      await same("eth_estimateGas", { from, to, value, gasPrice: GWEI_2 });
      await same("eth_estimateGas", { from, to, value, maxFeePerGas: GWEI_2 });
      await same("eth_call", { from: poor.address, to, value });
      await same("eth_call", { from, to, value, gasPrice: GWEI_2 });
    }
    for (const gas of ["0x1", "0x5208", "0xffffffffff"]) await same("eth_estimateGas", { from, to, gas });
    await same("eth_estimateGas", { from, to, data: "0x01" });
    await same("eth_estimateGas", { from, to, gasPrice: "0x1" });
    await same("eth_estimateGas", { from, to, maxFeePerGas: "0x1", maxPriorityFeePerGas: "0x2" });
    await same("eth_estimateGas", { from, to, gasPrice: "0x1", maxFeePerGas: "0x1" });
    await same("eth_estimateGas", { from, to, nonce: "0x5" });
    await same("eth_estimateGas", { from, to, chainId: "0x1" });
  });

  it("creations: code, its limits, and what fails", async () => {
    for (const data of ["0x5f5ff3", "0x60016000f3", "0xfe", "0x60ef5f5360015ff3", "0x6160015ff3", "0x"]) {
      await same("eth_estimateGas", { from, data });
    }
    for (const size of [49_152, 49_153]) {
      await same("eth_estimateGas", { from, data: bytes("00", size) });
      await same("eth_call", { data: bytes("00", size) });
      await same("eth_simulateV1", {
        blockStateCalls: [{ blockOverrides: { time: "0x70000000" }, calls: [{ from, data: bytes("00", size) }] }],
      });
    }
    await same("eth_estimateGas", {});
  });

  it("authorizations: valid, with another nonce, twice, none", async () => {
    const [valid, other] = [await authorize(0), await authorize(7)];
    for (const authorizationList of [[valid], [other], [valid, valid], []]) {
      for (const target of [to, contracts.refund])
        await same("eth_estimateGas", { from, to: target, authorizationList });
      await same("eth_call", { from, to, authorizationList });
      await same("eth_estimateGas", { from, data: "0x5f5ff3", authorizationList });
      if (authorizationList.length > 0) await same("eth_createAccessList", { from, to, authorizationList });
    }
  });

  it("overrides of state and block", async () => {
    const { refund, loop, greedy } = contracts;
    await same("eth_estimateGas", { from, to: refund }, "latest", { [refund]: { code: "0x5b5f56" } });
    await same("eth_estimateGas", { from, to: loop }, "latest", {}, { gasLimit: "0x100000" });
    for (const balance of ["0x100", toHex(2_000_000_000n * 100_000n)]) {
      await same("eth_estimateGas", { from, to: greedy }, "latest", { [from]: { balance } });
      await same("eth_estimateGas", { from, to: greedy, gasPrice: GWEI_2 }, "latest", { [from]: { balance } });
    }
  });

  it("simulations that cannot run say why", async () => {
    const call = { from, to };
    const one = (calls: object[], rest: object = {}) => ({ blockStateCalls: [{ calls }], ...rest });
    const blocks = (...blockStateCalls: object[]) => ({ blockStateCalls });
    const identity = pad("0x1", { size: 20 });
    for (const simulation of [
      ...[{}, blocks(), one([{ from: poor.address, to, value: "0x1" }])],
      ...[blocks({ blockOverrides: { number: "0x0" } }), blocks({ blockOverrides: { number: "0x101" } })],
      one([{ ...call, gas: "0xffffffffff" }]),
      ...[one([{ ...call, nonce: "0x5" }], { validation: true }), one([call], { validation: true })],
      one([{ ...call, maxFeePerGas: "0x1" }], { validation: true }),
      one([{ from: contracts.refund, to, maxFeePerGas: GWEI_2 }], { validation: true }),
      ...[one([{ ...call, gas: "0x1" }]), one([{ ...call, chainId: "0x1" }])],
      one([{ ...call, maxFeePerGas: "0x1", maxPriorityFeePerGas: "0x2" }]),
      one([{ ...call, gasPrice: "0x1", maxPriorityFeePerGas: "0x2" }]),
      blocks({ stateOverrides: { [to]: { movePrecompileToAddress: contracts.refund } } }),
      blocks({ stateOverrides: { [identity]: { movePrecompileToAddress: identity } } }),
      blocks({ stateOverrides: { [from]: { state: {}, stateDiff: {} } } }),
      blocks({
        blockOverrides: { gasLimit: "0x5208" },
        calls: [
          { ...call, gas: "0x5208" },
          { ...call, gas: "0x5208" },
        ],
      }),
    ]) {
      await same("eth_simulateV1", simulation, "latest");
    }
    await same("eth_simulateV1", blocks({}), "0xff");
  });
});
