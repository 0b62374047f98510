/** Configurations as schemas, for the composition roots. */
export { ConfigError, type ConfigErrorCode, type ConfigFaults, configFaults } from "./config-error.ts";
export { editDistance, nearest } from "./nearest.ts";
export { type FlagHelp, renderSettingReference, renderSettings, settingFlags } from "./render.ts";
export { type ConfigSources, resolveSettings, settingsPinned } from "./resolve.ts";
export { type SettingSchema, type SettingValues, settingSchema, splitKey } from "./schema.ts";
export {
  addressSetting,
  booleanSetting,
  choiceSetting,
  coinSetting,
  durationSetting,
  integerSetting,
  type ListenAddress,
  listSetting,
  type Setting,
  SettingError,
  textSetting,
  urlListSetting,
  urlSetting,
  weiSetting,
} from "./setting.ts";
