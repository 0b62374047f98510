/** How much the endpoints of one entry are compared. */

/** `available`: compared when another endpoint answers; `required`: nothing is taken from one alone; `off`: never. */
export const CROSS_CHECKS = ["available", "required", "off"] as const;

/** One of them. */
export type CrossCheck = (typeof CROSS_CHECKS)[number];
