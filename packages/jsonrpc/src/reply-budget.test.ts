import assert from "node:assert/strict";
import { test } from "node:test";
import { createReplyBudget } from "./reply-budget.ts";

function opened(most: number, count: number) {
  const budget = createReplyBudget(most);
  const cut: number[] = [];
  const holders = Array.from({ length: count }, (_, index) => budget.open(() => void cut.push(index)));
  return { budget, cut, holders };
}

test("the one that holds most is cut, whoever asks for more; its bytes count no longer", () => {
  const { budget, cut, holders } = opened(100, 3);
  const [small, big, third] = holders;
  small?.hold(10);
  big?.hold(80);
  third?.hold(10);
  assert.deepEqual(cut, []);
  small?.hold(5);
  assert.deepEqual(cut, [1]);
  assert.equal(budget.bytes, 25);
  big?.hold(50);
  big?.release(80);
  assert.equal(budget.bytes, 25);
});

test("one that wants more than all is cut itself", () => {
  const { budget, cut, holders } = opened(100, 2);
  holders[0]?.hold(40);
  holders[1]?.hold(101);
  assert.deepEqual(cut, [1]);
  assert.equal(budget.bytes, 40);
});

test("what is released or ends makes room", () => {
  const { budget, cut, holders } = opened(100, 2);
  holders[0]?.hold(90);
  holders[0]?.release(60);
  holders[1]?.hold(70);
  holders[0]?.end();
  holders[0]?.end();
  holders[1]?.hold(30);
  assert.deepEqual(cut, []);
  assert.equal(budget.bytes, 100);
});
