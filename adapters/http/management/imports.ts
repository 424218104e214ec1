/**
 * Handles the management endpoints of imports.
 *
 * @module
 */
import { Effect, Result } from "effect"
import type { ContactImport } from "../../../core/model/ContactImport.ts"
import { reportOf } from "../../../core/audience/imports/ImportReport.ts"
import { Imports } from "../../../core/audience/imports/Imports.ts"
import { catalogue, Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ImportConsentShape, MappingShape } from "../schema/management/Imports.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { parseJson } from "../json/StrictJson.ts"
import { accepted, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"
import { type CheckShape, makeShape } from "../json/Shape.ts"

const encodeImport = (found: ContactImport) => ({
  id: found.id,
  name: found.name,
  status: found.status,
  mapping: found.mapping,
  delimiter: found.delimiter,
  size: found.size,
  processed: found.status === "Completed" ? found.size : found.position.offset,
  rows: found.rows,
  dryRun: found.dryRun,
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

/** Decodes a query parameter that is JSON. Fails with validation.format or validation.type. */
const decodeJson = <A>(
  text: string | null,
  name: string,
  check: CheckShape<A>
): Result.Result<A | null, Problem> => {
  if (text === null) return Result.succeed(null)
  const parsed = parseJson(encoder.encode(text))
  return Result.isFailure(parsed)
    ? Result.fail(Problem.of("validation.format", name))
    : Result.mapError(check(parsed.success), () => Problem.of("validation.type", name))
}

/** Imports. */
export const importsRoutes = Effect.gen(function* () {
  const imports = yield* Imports
  return bind(ManagementApi.groups.imports, {
    start: Effect.fnUntraced(function* ({ account, actor, header, query, stream }) {
      if (header("content-type")?.trim().toLowerCase().startsWith("multipart/") === true) {
        return yield* Problem.of("audience.import_media_type")
      }
      const request = {
        name: query.name,
        mapping: yield* Effect.fromResult(decodeJson(query.mapping, "mapping", checkMapping)),
        consent: yield* Effect.fromResult(decodeJson(query.consent, "consent", checkConsent)),
        delimiter: query.delimiter === "tab" ? "\t" : query.delimiter,
        dryRun: query.dryRun === "true"
      }
      return accepted(encodeImport(yield* imports.start(account.id, request, stream(), actor)))
    }),
    list: Effect.fnUntraced(function* ({ account, page, query }) {
      return ok(listed(page, yield* imports.list(account.id, page, query.state), encodeImport))
    }),
    get: Effect.fnUntraced(function* ({ account, params }) {
      return ok(encodeImport(yield* imports.get(account.id, params.id)))
    }),
    errors: Effect.fnUntraced(function* ({ account, params }) {
      const { errors, imported } = yield* imports.errors(account.id, params.id)
      return {
        _tag: "Reply",
        status: 200,
        headers: {
          "content-type": "text/csv; charset=utf-8",
          "content-disposition": `attachment; filename="import-${params.id}-errors.csv"`
        },
        body: reportOf(imported, errors)
      }
    }),
    cancel: Effect.fnUntraced(function* ({ account, actor, params }) {
      return ok(encodeImport(yield* imports.cancel(account.id, params.id, actor)))
    })
  })
})
