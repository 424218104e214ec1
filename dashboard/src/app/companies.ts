/**
 * How the companies of the user are read.
 *
 * @module
 */
import { read } from "../api/queries.ts"

/** The most companies of which the switch shows one at once. */
const maxCompanies = 200

/** The companies of the user. */
export const companies = read("GET /companies", { query: { limit: maxCompanies } })
