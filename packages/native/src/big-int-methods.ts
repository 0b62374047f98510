/**
 * The methods that scripts written for geth call on its big integers (`bigInt(5).multiply(7)`), given to the engine's own
 * ones. Owns their names; the engine owns `bigInt` itself and how a result becomes text.
 */

const METHODS = `{
  add: (a, b) => a + b, plus: (a, b) => a + b, subtract: (a, b) => a - b, minus: (a, b) => a - b,
  multiply: (a, b) => a * b, times: (a, b) => a * b, divide: (a, b) => a / b, over: (a, b) => a / b,
  mod: (a, b) => a % b, remainder: (a, b) => a % b, pow: (a, b) => a ** b,
  and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b,
  shiftLeft: (a, b) => a << b, shiftRight: (a, b) => a >> b,
  equals: (a, b) => a === b, eq: (a, b) => a === b, notEquals: (a, b) => a !== b, neq: (a, b) => a !== b,
  greater: (a, b) => a > b, gt: (a, b) => a > b, greaterOrEquals: (a, b) => a >= b, geq: (a, b) => a >= b,
  lesser: (a, b) => a < b, lt: (a, b) => a < b, lesserOrEquals: (a, b) => a <= b, leq: (a, b) => a <= b,
  compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0), compareTo: (a, b) => (a < b ? -1 : a > b ? 1 : 0)
}`;
const OF_ONE = `{
  negate: (a) => -a, not: (a) => ~a, abs: (a) => (a < 0n ? -a : a), square: (a) => a * a, next: (a) => a + 1n,
  prev: (a) => a - 1n, isZero: (a) => a === 0n, isNegative: (a) => a < 0n, isPositive: (a) => a > 0n,
  isEven: (a) => a % 2n === 0n, isOdd: (a) => a % 2n !== 0n, isUnit: (a) => a === 1n || a === -1n,
  toJSNumber: (a) => Number(a)
}`;

const PRELUDE = `const of = (value) => (typeof value === "bigint" ? value : BigInt(value));
  const give = (name, work) => Object.defineProperty(BigInt.prototype, name, { value: work, configurable: true });
  const two = ${METHODS};
  for (const name in two) give(name, function (other) { return two[name](this.valueOf(), of(other)); });
  const one = ${OF_ONE};
  for (const name in one) give(name, function () { return one[name](this.valueOf()); });`;

/** A tracer's name as it is; a script with the methods in place before it is evaluated. */
export function withBigIntMethods(tracer: string): string {
  return /^\w*$/.test(tracer) ? tracer : `(() => { ${PRELUDE}\n  return (${tracer}\n); })()`;
}
