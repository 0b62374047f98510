/** Parsing of whole-number options. */
import { InvalidArgumentError } from "commander";

/** A parser for an integer between two bounds, both allowed; commander prints the refusal. */
export function integerOption(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`);
    }
    return value;
  };
}
