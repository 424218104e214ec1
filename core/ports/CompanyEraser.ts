/**
 * Erases everything that is stored of a company, whatever stores it (docs/contributing/people.md 7).
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
     * Deletes at most `limit` rows of each kind of a company and its accounts, and returns how many. The company and its
     * accounts are deleted when nothing else is left, so 0 means that all is gone. Bytes outside the database stay.
     */
    readonly erase: (company: Company, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/CompanyEraser") {}
