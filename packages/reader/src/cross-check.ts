/** How much the endpoints of one entry are compared. */

/** `available`: compared when another endpoint answers; `required`: nothing is taken from one alone; `off`: never. */
export const CROSS_CHECKS = ["available", "required", "off"] as const;
export type CrossCheck = (typeof CROSS_CHECKS)[number];
