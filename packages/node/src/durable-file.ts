/** Owns writing files that are whole after a crash. */
import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file beside its place, flushes it and moves it there; parents are made with mode 0700. */
export async function writeDurableFile(path: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.partial`;
  const file = await open(partial, "w", mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
  const directory = await open(dirname(path), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
