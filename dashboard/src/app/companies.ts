/**
 * The query for the companies of the user.
 *
 * @module
 */
import { read } from "../api/queries.ts"

/** The most companies that the account menu offers. */
const maxCompanies = 200

/** The companies of the user, of which at most `maxCompanies` are read. */
export const companies = read("GET /companies", { query: { limit: maxCompanies } })
