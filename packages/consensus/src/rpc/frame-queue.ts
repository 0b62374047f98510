/**
 * Frames on their way to one client, in order. What the socket does not take stays here; each frame's text is made when
 * its turn comes, so that waiting frames cost little.
 */
import type { WebSocket } from "ws";

/** Bytes in the socket's own buffer above which frames wait. */
const HIGH_WATER_BYTES = 1 << 20;
/** Frames written in one turn. */
const FRAMES_PER_TURN = 64;
/** Sent frames after which the list is cut. */
const COMPACT_AT = 1024;

interface Frame {
  readonly text: () => string;
  readonly sent: () => void;
}

/** Frames of one connection. */
export interface FrameQueue {
  push(text: () => string, sent: () => void): void;
}

/** A queue in front of a socket. */
export function createFrameQueue(socket: WebSocket): FrameQueue {
  const frames: Frame[] = [];
  let at = 0;
  let waiting: "no" | "for-turn" | "for-socket" = "no";

  const flushed = (): void => {
    if (waiting !== "for-socket" || socket.bufferedAmount > HIGH_WATER_BYTES) return;
    waiting = "no";
    pump();
  };
  const nextTurn = (): void => {
    waiting = "no";
    pump();
  };
  const compact = (): void => {
    if (at < frames.length && at < COMPACT_AT) return;
    frames.splice(0, at);
    at = 0;
  };
  const pump = (): void => {
    if (waiting !== "no") return;
    for (let left = FRAMES_PER_TURN; ; left--) {
      const frame = frames[at];
      if (frame === undefined || socket.readyState !== socket.OPEN) break;
      if (socket.bufferedAmount > HIGH_WATER_BYTES) waiting = "for-socket";
      else if (left === 0) waiting = "for-turn";
      if (waiting !== "no") break;
      at++;
      socket.send(frame.text(), flushed);
      frame.sent();
    }
    compact();
    if (waiting === "for-turn") setImmediate(nextTurn);
  };
  return {
    push: (text, sent) => {
      frames.push({ text, sent });
      pump();
    },
  };
}
