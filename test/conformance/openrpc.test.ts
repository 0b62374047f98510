/**
 * The OpenRPC document is one: it fits the OpenRPC project's own meta schema, and every schema in it is a JSON Schema.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { methodTables, openRpcDocument } from "@cairn/api";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

// Its type declarations know only the documents, not the schema that the module really exports.
const { openrpcDocument: metaSchema } = createRequire(import.meta.url)("@open-rpc/meta-schema");

/** The meta schema by itself: whether the schemas in it are JSON Schemas is judged by the second test. */
function standalone(): object {
  const { $schema: _, ...schema } = metaSchema;
  const refs = /\{"\$ref":"https:\/\/meta\.json-schema\.tools[^"]*"\}/g;
  return JSON.parse(JSON.stringify(schema).replace(refs, '{"type":["object","boolean","string"]}'));
}

interface Document {
  readonly openrpc: string;
  readonly methods: readonly {
    readonly name: string;
    readonly params: readonly { readonly name: string; readonly schema: object }[];
    readonly result: { readonly schema: object };
  }[];
}
const document = openRpcDocument(methodTables, "0.0.0") as Document;

test("the document fits the meta schema", () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(standalone());
  assert.ok(validate(document), JSON.stringify(validate.errors?.slice(0, 3)));
  assert.ok(document.methods.length > 50);
  assert.ok(!validate({ ...document, methods: [{ name: "x" }] }), "the schema tells good from bad");
});

test("every parameter and result has a JSON Schema that compiles", () => {
  const ajv = new Ajv2020({ strict: false, addUsedSchema: false });
  for (const { name, params, result } of document.methods) {
    for (const { schema } of [...params, result]) assert.doesNotThrow(() => ajv.compile(schema), name);
  }
});
