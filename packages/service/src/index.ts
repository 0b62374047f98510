/** Composition root of the proof service. */

export type { AccessRequest } from "./accounts/access-requests.ts";
export type { Account, AccountChain, Agreement, ChainProfile, RateLimits } from "./accounts/account.ts";
export type { NewChain } from "./accounts/account-store.ts";
export { type Accounts, KeyFormError, openAccounts } from "./accounts/accounts.ts";
export { EnvironmentMismatchError, NoAccountsError } from "./accounts/accounts-file.ts";
export { type ApiKey, createApiKey, type Environment, parseApiKey } from "./accounts/api-key.ts";
export type { AuditEntry, AuditVerdict } from "./accounts/audit-log.ts";
export type { Caller } from "./accounts/caller.ts";
export { ALL_SCOPES, endOfKey, type IssuedKey, type KeyRecord } from "./accounts/keys.ts";
export { type ApproveOutcome, type Operator, openOperator, type Terms } from "./accounts/operator.ts";
export { acknowledgeAlarm } from "./alarms/acknowledge.ts";
export { BackupError, backupService, restoreService } from "./backup/backup.ts";
export { askBitcoinNode, askStoppedRegtest } from "./best-chain.ts";
export { type CheckFinding, checkService } from "./check-service.ts";
export { startRefusals } from "./composition/environment.ts";
export { configuredPlans } from "./config/configured-plans.ts";
export { type PreparedService, prepareService } from "./config/prepare.ts";
export { SERVICE_SCHEMA, type ServiceConfig } from "./config/schema.ts";
export {
  loadServiceConfig,
  renderServiceConfig,
  renderServiceConfigReference,
  resolveServiceConfig,
  serviceConfigFile,
  serviceFlags,
} from "./config/service-config.ts";
export { finalDepth, type ServiceKeys, serviceOptions } from "./config/service-options.ts";
export { ProductionError, type Refusal, type RefusalCode } from "./environment/production-rules.ts";
export { anchorAddress } from "./keys/addresses.ts";
export { makeServiceKey, openServiceKey, ServiceKeyError } from "./keys/key-file.ts";
export { servicePassphrase } from "./keys/passphrase.ts";
export { renderMetricsReference } from "./metrics/catalogue.ts";
export type { BitcoinOptions, ServiceOptions, ServicePolicy } from "./options.ts";
export { ServiceListenError } from "./rest/listen-error.ts";
export { type RunningService, startService } from "./service.ts";
export { settlerAddress } from "./transaction-signer.ts";
