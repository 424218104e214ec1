/**
 * Defines the endpoints of the published contract documents and of the document of the management API, at the base URL.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { EndpointGuard } from "./Envelope.ts"

/** The path of each document. */
export const contractPaths = {
  openApi: "/openapi/public-v1.json",
  managementOpenApi: "/openapi/management-v1.json",
  postman: "/svc-api.postman_collection.json"
} as const

const json = Schema.Record(Schema.String, Schema.Unknown)

/** The documents. */
export class ContractGroup extends HttpApiGroup.make("contract")
  .add(
    HttpApiEndpoint.get("openApi", contractPaths.openApi, { success: json }),
    HttpApiEndpoint.get("managementOpenApi", contractPaths.managementOpenApi, { success: json }),
    HttpApiEndpoint.get("postman", contractPaths.postman, { success: json })
  )
  .annotateEndpoints(EndpointGuard, { _tag: "Open" }) {}

/** The definition of the documents. */
export class ContractApi extends HttpApi.make("contract").add(ContractGroup) {}
