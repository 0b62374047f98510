/** What a composition root has opened, closed in reverse order, once. */

/** Steps that close what was opened. */
export interface CloseStack {
  /** Remembers how to close what was just opened. */
  opened(close: () => unknown): void;
  /** Closes everything, the last first; a second call awaits the first. */
  close(): Promise<void>;
}

/** Makes an empty stack; `onClosing` runs before the first step. */
export function createCloseStack(onClosing: () => void): CloseStack {
  const steps: (() => unknown)[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    onClosing();
    for (const step of steps.reverse()) await step();
  };
  return {
    opened: (close) => void steps.push(close),
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}
