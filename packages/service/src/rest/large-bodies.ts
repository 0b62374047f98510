/** How many large bodies are held in memory at once, by each account and in all. */
import type { FastifyReply } from "fastify";
import { ProblemError } from "./problem-error.ts";

/** Requests with large bodies under way. */
export interface LargeBodies {
  /** Counts a request until its connection is done with it; the `queue-full` problem when too many are under way. */
  enter(account: string, reply: FastifyReply): void;
}

const MAX_PER_ACCOUNT = 4;
const MAX_IN_ALL = 8;

/** Makes the bound of one route. */
export function createLargeBodies(): LargeBodies {
  const underWay: string[] = [];
  return {
    enter: (account, reply) => {
      const own = underWay.filter((other) => other === account).length;
      if (own >= MAX_PER_ACCOUNT || underWay.length >= MAX_IN_ALL) {
        const detail = "too many large bodies are being read at once";
        throw new ProblemError("queue-full", { detail, headers: { "retry-after": "1" } });
      }
      underWay.push(account);
      reply.raw.once("close", () => void underWay.splice(underWay.indexOf(account), 1));
    },
  };
}
