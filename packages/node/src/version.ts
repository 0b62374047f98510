/** Owns the version texts a node shows. */
import { arch, platform, version } from "node:process";
import manifest from "../package.json" with { type: "json" };

/** Version of this package. */
export const VERSION: string = manifest.version;

/** `web3_clientVersion`: `Cairn/v<version>/<os>-<arch>/node<version>`. */
export const CLIENT_VERSION = `Cairn/v${VERSION}/${platform}-${arch}/node${version.slice(1)}`;
