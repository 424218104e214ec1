/**
 * Erases everything that is stored about a company, in every store (docs/contributing/people.md 7).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Company } from "../model/Account.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port that erases companies. */
export class CompanyEraser extends Context.Service<
  CompanyEraser,
  {
    /**
     * Deletes at most `limit` rows of each kind that belong to a company or its accounts, and returns how many. The company and
     * its accounts are deleted last, so 0 means that nothing is left. Bytes outside the database are not deleted.
     */
    readonly erase: (company: Company, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/CompanyEraser") {}
