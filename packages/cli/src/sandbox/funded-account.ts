/** The first of the well-known development accounts (m/44'/60'/0'/0/0 of "test test … junk"); its key is public. */
export const FUNDED_ACCOUNT = {
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  privateKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
} as const;
