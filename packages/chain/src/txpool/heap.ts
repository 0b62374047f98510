/** Owns the binary heap over a plain array that price ordering and selection use. */

/** Whether `left` leaves the heap before `right`. A strict order. */
export type Before<T> = (left: T, right: T) => boolean;

/** Puts `item` in its place. O(log n). */
export function heapPush<T>(heap: T[], item: T, before: Before<T>): void {
  heap.push(item);
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as T;
    if (!before(item, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = item;
}

/** Takes the first item out; `undefined` when empty. O(log n). */
export function heapPop<T>(heap: T[], before: Before<T>): T | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  sink(heap, 0, last, before);
  return first;
}

/** Replaces the first item, keeping the order: cheaper than a pop and a push. */
export function heapReplace<T>(heap: T[], item: T, before: Before<T>): void {
  if (heap.length === 0) heap.push(item);
  else sink(heap, 0, item, before);
}

/** Orders a whole array as a heap. O(n). */
export function heapify<T>(heap: T[], before: Before<T>): void {
  for (let at = (heap.length >> 1) - 1; at >= 0; at--) sink(heap, at, heap[at] as T, before);
}

function sink<T>(heap: T[], from: number, item: T, before: Before<T>): void {
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as T, heap[child] as T)) child++;
    const below = heap[child] as T;
    if (!before(below, item)) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = item;
}
