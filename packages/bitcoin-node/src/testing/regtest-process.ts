/** A regtest in a process of its own that mines every 10 ms and prints its URL: for tests that kill it. */
import { openRegtest } from "./regtest-fixture.ts";

const [dir] = process.argv.slice(2);
if (dir === undefined) throw new TypeError("usage: regtest-process DIR");
const node = await openRegtest(dir, 10);
console.log(node.url);
