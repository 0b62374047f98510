/** The version of this package. */
import manifest from "../package.json" with { type: "json" };

/** `v0.1.0`, as every part shows it. */
export const VERSION = `v${manifest.version}`;
