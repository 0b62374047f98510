/** Where an entry says the proof itself is found, and the form in which it is submitted. */
import type { Signature } from "./abi/signature.ts";

/** The envelope's members beside the proof; without `system` the proof is submitted as the bare artifact. */
export interface ProofForm {
  readonly system?: string | undefined;
  readonly encoding?: string | undefined;
  readonly curve?: string | undefined;
  /** The key's hash (0x and 64 hex digits), or the key itself. */
  readonly vk?: string | undefined;
  /** Arguments of the event that are the public inputs, in order. */
  readonly publicInputs: readonly string[];
}

/** Where the proof of a root is: in the transaction's call data, or at a URL. */
export type ProofReference =
  /** An argument of the event. */
  | { readonly from: "arg"; readonly argument: string; readonly form: ProofForm }
  /** An argument of the call that emitted the event; `steps` lead into tuples and lists. */
  | {
      readonly from: "calldata";
      readonly signature: Signature;
      readonly steps: readonly string[];
      readonly form: ProofForm;
    }
  /** A document at a fixed host; `{argument}` is replaced, `pointer` picks the proof from JSON. */
  | { readonly from: "url"; readonly template: string; readonly pointer: string; readonly form: ProofForm };
