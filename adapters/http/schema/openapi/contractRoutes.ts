/**
 * Handles the documents of the published contract. They are generated at the first request and kept until shutdown.
 *
 * @module
 */
import { Effect } from "effect"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import { ContractApi } from "../ContractApi.ts"
import { bind, type Call } from "../../edge/Route.ts"
import { makeManagementOpenApi } from "./ManagementOpenApi.ts"
import { makeOpenApi } from "./OpenApi.ts"
import { makePostmanCollection } from "./Postman.ts"
import { makeFiles } from "../../pages/site/SiteReply.ts"

/** Tools on other origins may read the contract, which is public and needs no cookie or key. */
const headers = {
  "content-type": "application/json; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "access-control-allow-origin": "*"
}

const written = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`

/** The published contract. */
export const contractRoutes = Effect.gen(function* () {
  const { file } = makeFiles()
  const { baseUrl } = yield* PublicEndpoint
  const openApi = yield* Effect.cached(Effect.sync(() => makeOpenApi(baseUrl())))
  const openApiText = yield* Effect.cached(Effect.map(openApi, written))
  const managementText = yield* Effect.cached(Effect.sync(() => written(makeManagementOpenApi(baseUrl()))))
  const postmanText = yield* Effect.cached(
    Effect.map(openApi, (document) => written(makePostmanCollection(document)))
  )
  const serve =
    (text: Effect.Effect<string>) =>
    ({ header }: Pick<Call, "header">) =>
      Effect.map(text, (body) => file(header, body, headers))
  return bind(ContractApi.groups.contract, {
    openApi: serve(openApiText),
    managementOpenApi: serve(managementText),
    postman: serve(postmanText)
  })
})
