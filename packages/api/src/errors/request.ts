/**
 * Owns the errors in the catalogue that are about the message itself, its parameters, the limits of the node and who
 * may ask.
 */

/** Errors any method can answer. */
export const requestErrors = {
  "parse-error": { code: -32700, text: "parse error", when: "The message is no JSON." },
  "invalid-request": { code: -32600, text: "invalid request", when: "The message is no JSON-RPC 2.0 request." },
  "empty-batch": { code: -32600, text: "empty batch", when: "A batch without calls." },
  "batch-too-large": { code: -32600, text: "batch too large", when: "A batch of more than 1000 calls." },
  "unknown-method": {
    code: -32601,
    text: "the method {method} does not exist/is not available",
    when: "The name is unknown or its namespace is not enabled.",
  },
  "refused-method": {
    code: -32601,
    text: "the method {method} does not exist/is not available: {reason}",
    when: "The name is known and not served; the reason stands in the method reference.",
  },
  "non-array-params": {
    code: -32602,
    text: "non-array args",
    when: "`params` is an object: parameters are positional.",
  },
  "missing-argument": {
    code: -32602,
    text: "missing value for required argument {index}",
    when: "A required parameter is absent or null.",
  },
  "too-many-arguments": {
    code: -32602,
    text: "too many arguments, want at most {most}",
    when: "More parameters than the method has.",
  },
  "invalid-argument": {
    code: -32602,
    text: "invalid argument {index}: {fault}",
    when: "A parameter is not of its form; the fault is named.",
  },
  internal: { code: -32603, text: "internal error", when: "A fault of the node, logged there." },
  timeout: { code: -32002, text: "request timed out", when: "The call took longer than the node allows." },
  busy: {
    code: -32005,
    text: "the node is busy: too many slow calls are waiting",
    when: "Calls, log queries or block reads wait in line for too long; try again.",
  },
  "response-too-large": {
    code: -32003,
    text: "response too large",
    when: "The results of a batch exceed 25 MB.",
  },
  unauthorized: {
    code: 4100,
    text: "unauthorized",
    when: "A private method without a valid bearer token.",
  },
  closing: { code: -32000, text: "the node is closing", when: "The node is stopping." },
} as const;
