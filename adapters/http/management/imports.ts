/**
 * The operator's handlers of imports.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import { type ContactImport, type Delimiter, delimiters } from "../../../core/model/ContactImport.ts"
import { csvLine, reportLine } from "../../../core/audience/imports/ImportRows.ts"
import { Imports } from "../../../core/audience/imports/Imports.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { catalogue, Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ImportConsentShape, MappingShape } from "../schema/management/Imports.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { JsonRefusal, parseJson } from "../edge/body.ts"
import { pageOfQuery, type Query, textOf } from "../edge/Query.ts"
import { accepted, bind, ok } from "../edge/Route.ts"
import { type CheckShape, makeShape } from "../edge/Shape.ts"
import { asEffect, makeAccountGate } from "./requireAccount.ts"

const encodeImport = (found: ContactImport) => ({
  id: found.id,
  name: found.name,
  status: found.status,
  mapping: found.mapping,
  delimiter: found.delimiter,
  size: found.size,
  processed: found.status === "Completed" ? found.size : found.position.offset,
  rows: found.rows,
  failure:
    found.failure === null
      ? null
      : {
          code: found.failure.code,
          message: catalogue[found.failure.code].message,
          line: found.failure.line
        },
  createdAt: formatDateTime(found.createdAt),
  finishedAt: dateTimeOrNull(found.finishedAt)
})

const checkMapping = makeShape(MappingShape)
const checkConsent = makeShape(ImportConsentShape)
const encoder = new TextEncoder()

/** A query parameter that is JSON; validation.format, validation.type. */
const jsonOf = <A>(query: Query, name: string, check: CheckShape<A>): A | Problem | null => {
  const text = textOf(query, name)
  if (text === null) return null
  const parsed = parseJson(encoder.encode(text))
  if (parsed instanceof JsonRefusal) return Problem.of("validation.format", name)
  const checked = check(parsed.value)
  return Result.isSuccess(checked) ? checked.success : Problem.of("validation.type", name)
}

/** `delimiter`: itself, or the word `tab`; null to find it out. validation.format. */
const delimiterOf = (query: Query): Delimiter | Problem | null => {
  const text = textOf(query, "delimiter")
  if (text === null) return null
  const sign = text === "tab" ? "\t" : text
  return delimiters.find((delimiter) => delimiter === sign) ?? Problem.of("validation.format", "delimiter")
}

/** Imports. */
export const importsRoutes = Effect.gen(function* () {
  const imports = yield* Imports
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.imports, {
    start: Effect.fnUntraced(function* ({ header, params, query, stream }) {
      const { id } = yield* gate(params)
      if (header("content-type")?.trim().toLowerCase().startsWith("multipart/") === true) {
        return yield* Problem.of("audience.import_media_type")
      }
      const request = {
        name: textOf(query, "name"),
        mapping: yield* asEffect(jsonOf(query, "mapping", checkMapping)),
        consent: yield* asEffect(jsonOf(query, "consent", checkConsent)),
        delimiter: yield* asEffect(delimiterOf(query))
      }
      return accepted(encodeImport(yield* imports.start(id, request, stream(), managementActor)))
    }),
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      return ok(mapPage(yield* imports.list(id, yield* asEffect(pageOfQuery(query))), encodeImport))
    }),
    get: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      return ok(encodeImport(yield* imports.get(id, params["id"] ?? "")))
    }),
    errors: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      const { errors, header } = yield* imports.errors(id, params["id"] ?? "")
      const lines = [csvLine(["line", "codes", ...header]), ...errors.map(reportLine)]
      return {
        _tag: "Reply",
        status: 200,
        headers: {
          "content-type": "text/csv; charset=utf-8",
          "content-disposition": `attachment; filename="import-${params["id"]}-errors.csv"`
        },
        body: lines.join("")
      }
    }),
    cancel: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      return ok(encodeImport(yield* imports.cancel(id, params["id"] ?? "", managementActor)))
    })
  })
})
