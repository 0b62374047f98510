/** The chain node as one value: make its home, start it, close it. */
export { ConfigError, type ConfigErrorCode, type ConfigSources, type FlagHelp, type ListenAddress } from "@cairn/api";
export { SANDBOX_ACCOUNTS, SANDBOX_BALANCE_WEI } from "@cairn/chain";
export { flagHelp, renderConfig, renderConfigReference } from "./config/render.ts";
export { pinnedSettings, resolveConfig } from "./config/resolve.ts";
export { CONFIG_KEYS, type ConfigKey, environmentName, NAMESPACES, type NodeConfig } from "./config/schema.ts";
export { type NodeHome, nodeHome } from "./home.ts";
export { type InitializedHome, type InitNodeHomeOptions, initNodeHome } from "./init-node-home.ts";
export { loadNodeConfig } from "./load-config.ts";
export { NodeError, type NodeErrorCode } from "./node-error.ts";
export { type RunningNode, type StartNodeOptions, startNode } from "./start-node.ts";
export { CLIENT_VERSION, VERSION } from "./version.ts";
