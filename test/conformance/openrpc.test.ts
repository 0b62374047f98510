/** The OpenRPC document is one: it fits the OpenRPC project's own meta schema, and every schema in it is a JSON Schema. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { methodTables, openRpcDocument } from "@cairn/api";
import { openrpcDocument as metaSchema } from "@open-rpc/meta-schema";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

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
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const validate = ajv.compile(metaSchema as object);
  assert.ok(validate(document), JSON.stringify(validate.errors?.slice(0, 3)));
  assert.ok(document.methods.length > 50);
  assert.ok(!validate({ ...document, methods: [{ name: "x" }] }), "the schema tells good from bad");
});

test("every parameter and result has a JSON Schema that compiles", () => {
  for (const { name, params, result } of document.methods) {
    for (const { schema } of [...params, result]) {
      assert.doesNotThrow(() => new Ajv2020({ strict: false }).compile(schema), name);
    }
  }
});
