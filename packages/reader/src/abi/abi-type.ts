/** Solidity's ABI types and parameters, and their canonical names (ABI specification 2). */

/** A type of Solidity's ABI; an array without `length` is dynamic. */
export type AbiType =
  | { readonly kind: "uint" | "int"; readonly bits: number }
  | { readonly kind: "fixed-bytes"; readonly size: number }
  | { readonly kind: "address" | "bool" | "bytes" | "string" }
  | { readonly kind: "array"; readonly of: AbiType; readonly length: number | undefined }
  | { readonly kind: "tuple"; readonly fields: readonly AbiParameter[] };

/** A named value of a type. */
export interface AbiParameter {
  readonly name: string;
  readonly type: AbiType;
}

/** A type's canonical name, as it stands in signatures. */
export function typeName(type: AbiType): string {
  switch (type.kind) {
    case "uint":
    case "int":
      return `${type.kind}${type.bits}`;
    case "fixed-bytes":
      return `bytes${type.size}`;
    case "array":
      return `${typeName(type.of)}[${type.length ?? ""}]`;
    case "tuple":
      return `(${type.fields.map((field) => typeName(field.type)).join(",")})`;
    default:
      return type.kind;
  }
}

/** Whether its encoding stands in the tail, behind an offset. */
export function isDynamic(type: AbiType): boolean {
  if (type.kind === "bytes" || type.kind === "string") return true;
  if (type.kind === "array") return type.length === undefined || isDynamic(type.of);
  return type.kind === "tuple" && type.fields.some((field) => isDynamic(field.type));
}

/** Bytes a type takes in the head. */
export function headSize(type: AbiType): number {
  if (isDynamic(type)) return 32;
  if (type.kind === "array") return (type.length ?? 0) * headSize(type.of);
  if (type.kind === "tuple") return type.fields.reduce((sum, field) => sum + headSize(field.type), 0);
  return 32;
}
