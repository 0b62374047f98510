/** Exit codes of every command, and the error that carries one. */

/** 0 done; 1 failed or, for `verify`, false; 2 wrong usage or unreadable input; 3 `verify` without a trust root. */
export const EXIT = { done: 0, failed: 1, usage: 2, untrusted: 3 } as const;

/** A failure whose message is all a user needs. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}
