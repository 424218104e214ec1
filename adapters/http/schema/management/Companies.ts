/**
 * Defines the management endpoints of companies.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { envelope } from "../Envelope.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { requiring } from "../Requirements.ts"

const CompanyShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  live: Schema.Struct({ accountId: Schema.String }),
  sandbox: Schema.Struct({ accountId: Schema.String })
}).annotate({ identifier: "Company" })

/** The routes of companies. */
export class CompaniesGroup extends HttpApiGroup.make("companies")
  .add(
    HttpApiEndpoint.post("create", "/companies", {
      payload: Schema.Struct({ name: Schema.String }),
      success: envelope(CompanyShape)
    }),
    HttpApiEndpoint.get("list", "/companies", {
      query: listing(byTime),
      success: envelope(listOf(CompanyShape))
    })
  )
  .pipe(
    requiring({
      create: "companies:write",
      list: "SignedIn"
    })
  ) {}
