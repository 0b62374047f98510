import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "../testing/fixture.ts";
import { configuredPlans } from "./configured-plans.ts";

test("plans of a home: the standard one, those of its file, unknown where settings cannot be read", (t) => {
  const home = temporaryHome(t);
  assert.deepEqual(configuredPlans(home, {}), ["standard"]);
  mkdirSync(join(home, "config"));
  const settings = join(home, "config/service.toml");
  writeFileSync(settings, "");
  assert.deepEqual(configuredPlans(home, {}), ["standard"]);
  const plan = { verification: {}, other_verification: "1", inclusion: "1", anchor: "1" };
  writeFileSync(join(home, "plans.json"), JSON.stringify({ basic: plan }));
  assert.deepEqual(configuredPlans(home, { CAIRN_SERVICE_PAYMENT_PRICE_PLANS: "plans.json" }), ["standard", "basic"]);
  writeFileSync(settings, "[payment");
  assert.equal(configuredPlans(home, {}), undefined);
});
