/**
 * Owns the requests of one HTTP connection that wait for each other: replies go out in the order of the requests, so a
 * request is not begun before the reply to the one before is out. What a peer does not read is one reply, whatever it sends.
 */
import type { Socket } from "node:net";

/** Requests a connection may have waiting. */
const MOST_WAITING = 256;

/** One request in its place. */
export interface Place {
  /** Runs the request, now or when those before it are over. */
  ready(run: () => void): void;
  /** The request is over: its reply is out, or nobody waits for it any more. */
  over(): void;
}

interface Waiting {
  run?: () => void;
}

/** The requests of all connections. */
export interface Pipelines {
  /** The place behind those already there; `undefined` when too many wait. */
  enter(socket: Socket): Place | undefined;
}

/** Keeps the lines of open connections. */
export function createPipelines(): Pipelines {
  const lines = new WeakMap<Socket, Waiting[]>();
  return {
    enter(socket) {
      let line = lines.get(socket);
      if (line === undefined) {
        line = [];
        lines.set(socket, line);
      }
      if (line.length >= MOST_WAITING) return undefined;
      const own: Waiting = {};
      const requests = line;
      requests.push(own);
      return {
        ready(run) {
          if (requests[0] === own) run();
          else own.run = run;
        },
        over() {
          const at = requests.indexOf(own);
          if (at < 0) return;
          requests.splice(at, 1);
          if (at === 0) requests[0]?.run?.();
        },
      };
    },
  };
}
