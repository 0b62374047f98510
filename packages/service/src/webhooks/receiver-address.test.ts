import assert from "node:assert/strict";
import type { lookup as dnsLookup, LookupAddress } from "node:dns";
import { test } from "node:test";
import fc from "fast-check";
import { checkedLookup, isAllowedAddress, RefusedAddressError, urlFault } from "./receiver-address.ts";

const PRIVATE = [
  ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255"],
  ...["192.168.1.1", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::8.8.8.8", "64:ff9b::a00:1", "fe80::1", "fe80::1%eth0"],
  ...["fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1", "2002:a00:1::", "2001:0:a00:1::", "100::1", "5f00::1"],
];

test("only public addresses are let through; the sandbox takes loopback as well", () => {
  for (const address of PRIVATE) assert.equal(isAllowedAddress("public", address), false, address);
  for (const address of ["8.8.8.8", "172.15.255.255", "172.32.0.1", "2606:4700:4700::1111", "2a00:1450::1"]) {
    assert.equal(isAllowedAddress("public", address), true, address);
  }
  for (const address of ["127.0.0.1", "127.255.255.254", "::1"]) assert.ok(isAllowedAddress("loopback", address));
  for (const address of ["10.0.0.1", "169.254.169.254", "fe80::1", "fd00::1"]) {
    assert.ok(!isAllowedAddress("loopback", address), address);
  }
  assert.equal(isAllowedAddress("public", "no address"), false);
});

test("every spelling of a private address in a URL is seen", () => {
  fc.assert(
    fc.property(fc.constantFrom(10, 127, 0), fc.nat(255), fc.nat(255), fc.nat(255), (a, b, c, d) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      const spellings = [`${a}.${b}.${c}.${d}`, `${number}`, `0x${number.toString(16)}`, `0${number.toString(8)}`];
      const embedded = `[::ffff:${a}.${b}.${c}.${d}]`;
      for (const host of [...spellings, embedded, `${a}.${b}.${c * 256 + d}`]) {
        assert.equal(urlFault("public", `https://${host}/x`), "leads to a private or special address", host);
      }
    }),
  );
});

test("URLs are https without credentials or fragment; the sandbox takes http", () => {
  assert.equal(urlFault("public", "https://example.com:8443/hook?x=1"), undefined);
  assert.equal(urlFault("loopback", "http://127.0.0.1:9/hook"), undefined);
  assert.equal(urlFault("loopback", "http://localhost:9/hook"), undefined);
  for (const bad of [
    ...["", "example.com", "http://example.com", "ftp://example.com/", "file:///etc/passwd", "https://"],
    ...["https://user@example.com/", "https://:secret@example.com/", "https://example.com/#x", "https://a b/"],
    ...["https://localhost/", "https://x.localhost./", "https://example.com/\\@10.0.0.1", "https://[::1]/"],
  ]) {
    assert.notEqual(urlFault("public", bad), undefined, bad);
  }
});

/** Asks the checked look-up, with a resolver that answers as told. */
function ask(answers: readonly string[], all: boolean): Promise<unknown> {
  const resolve = ((_name: string, _options: unknown, callback: (e: null, found: LookupAddress[]) => void) => {
    callback(
      null,
      answers.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  }) as unknown as typeof dnsLookup;
  return new Promise((done, reject) => {
    checkedLookup("public", resolve)("name", { all }, (error, address) => (error ? reject(error) : done(address)));
  });
}

test("a name with any private address is refused; the judged address is the one connected to", async () => {
  assert.equal(await ask(["8.8.8.8", "2606:4700:4700::1111"], false), "8.8.8.8");
  assert.deepEqual(await ask(["8.8.8.8"], true), [{ address: "8.8.8.8", family: 4 }]);
  for (const answers of [["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["2606:4700:4700::1111", "::1"], []]) {
    for (const all of [true, false]) await assert.rejects(ask(answers, all), RefusedAddressError);
  }
});
