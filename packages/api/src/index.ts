export * from "./rest/index.ts";
