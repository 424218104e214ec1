/**
 * Handlers of the published contract's documents, made at the first request and kept for the life of the process.
 *
 * @module
 */
import { Effect } from "effect"
import { Deployment } from "../../../core/sending/Deployment.ts"
import { ContractApi } from "../api/ContractApi.ts"
import { bind, type Call } from "../Route.ts"
import { makeOpenApi } from "./OpenApi.ts"
import { makePostmanCollection } from "./Postman.ts"
import { file } from "./SiteReply.ts"

/** Tools on other origins read the contract: it is public, and no cookie or key is asked for. */
const headers = {
  "content-type": "application/json; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "access-control-allow-origin": "*"
}

const written = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`

/** The published contract. */
export const contractRoutes = Effect.gen(function* () {
  const { baseUrl } = yield* Deployment
  const openApi = yield* Effect.cached(Effect.sync(() => makeOpenApi(baseUrl())))
  const openApiText = yield* Effect.cached(Effect.map(openApi, written))
  const postmanText = yield* Effect.cached(
    Effect.map(openApi, (document) => written(makePostmanCollection(document)))
  )
  const serve =
    (text: Effect.Effect<string>) =>
    ({ header }: Call<unknown>) =>
      Effect.map(text, (body) => file(header, body, headers))
  return bind(ContractApi.groups.contract, { openApi: serve(openApiText), postman: serve(postmanText) })
})
