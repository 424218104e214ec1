/**
 * The background job that erases a deleted company.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/** Erases a company 30 days after its deletion; at most one is pending for each. It belongs to no account. */
export const companyErasureJob = defineJob({
  queue: "retention",
  key: ({ companyId }: { readonly companyId: string }) => `company:${companyId}`,
  payload: Schema.Struct({ kind: Schema.Literal("company"), companyId: Schema.String })
})
