/**
 * All endpoints, read from the API definitions that the service serves.
 *
 * @module
 */
import { Context } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { EndpointGuard, type Guard } from "../../adapters/http/schema/Envelope.ts"

/** An endpoint of one of the APIs. */
export interface Endpoint {
  readonly method: string
  /** The path after the base URL, parameters as `:name`. */
  readonly path: string
  readonly guard: Guard
}

const definitions = join(import.meta.dirname, "../../adapters/http/schema")

/** The endpoints of every API exported by the folder of definitions, so that new APIs are included automatically. */
export const allEndpoints = async (): Promise<ReadonlyArray<Endpoint>> => {
  const apis = new Set<HttpApi.Top>()
  for (const file of readdirSync(definitions).filter((name) => name.endsWith(".ts"))) {
    const exported = (await import(join(definitions, file))) as Record<string, unknown>
    for (const value of Object.values(exported)) if (HttpApi.isHttpApi(value)) apis.add(value as HttpApi.Top)
  }
  return [...apis].flatMap((api) =>
    Object.values(api.groups).flatMap((group) =>
      Object.values(group.endpoints as Record<string, HttpApiEndpoint.Top>).map((endpoint) => ({
        method: endpoint.method,
        path: endpoint.path,
        guard: Context.getUnsafe(endpoint.annotations, EndpointGuard as never) as Guard
      }))
    )
  )
}
