/**
 * The screens of domains and standing, which are loaded together.
 *
 * @module
 */
export { Domain } from "./Domain.tsx"
export { Domains } from "./Domains.tsx"
export { Reports } from "./Reports.tsx"
export { Standing } from "./Standing.tsx"
