/**
 * Generates the OpenAPI document of the management API, for its reference. The document is not a published contract: its
 * routes have no examples, and it does not list every error.
 *
 * @module
 */
import { Context } from "effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as OpenApi from "effect/http-api/OpenApi"
import { EndpointGuard, type Guard } from "../Envelope.ts"
import { ManagementApi } from "../ManagementApi.ts"
import { methods } from "./OpenApiModel.ts"
import { originalsOf } from "./OpenApiSchema.ts"

/** `addTopic` in words: `Add topic`. */
export const inWords = (name: string): string => {
  const spaced = name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** The title of a group: its own, or its name in words. */
const titled = (tag: string): string => (/[A-Z ]/.test(tag) ? tag : inWords(tag))

/** Query parameters that are numbers or times. The generator sees them as strings, which they are in a URL. */
const integer = { type: "integer", minimum: 1 } as const
const dateTime = { type: "string", format: "date-time" } as const
const schemas: Readonly<Record<string, typeof integer | typeof dateTime>> = {
  page: integer,
  pageSize: integer,
  limit: integer,
  since: dateTime,
  until: dateTime
}

const parameterOf = (parameter: OpenApi.OpenAPISpecParameter) => {
  const schema = schemas[parameter.name] ?? parameter.schema
  const isList = "type" in schema && (schema.type as string) === "array"
  return { ...parameter, schema, ...(isList ? { style: "form", explode: false } : {}) }
}

const failure = {
  type: "object",
  properties: {
    isSuccess: { type: "boolean", enum: [false] },
    value: { type: "null" },
    status: { type: "integer" },
    errors: { type: "array", items: { $ref: "#/components/schemas/Error" } },
    fieldErrors: {
      anyOf: [
        {
          type: "object",
          additionalProperties: { type: "array", items: { $ref: "#/components/schemas/Error" } }
        },
        { type: "null" }
      ]
    }
  },
  required: ["isSuccess", "value", "status", "errors", "fieldErrors"]
} as const

const error = {
  type: "object",
  properties: {
    code: { type: "string", description: "Stable; branch on it" },
    message: { type: "string", description: "English, for logs; it can change" },
    params: { anyOf: [{ type: "object", additionalProperties: { type: "number" } }, { type: "null" }] },
    details: {
      type: "object",
      description: "Further details for programs, such as the `right` that the caller lacks"
    }
  },
  required: ["code", "message", "params"]
} as const

const refused = (description: string) => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } }
})

const refusals = {
  "4XX": refused("The call was rejected; `errors` says why"),
  "5XX": refused("The service failed, or is unavailable: try again later")
}

const description =
  "What operators, a dashboard and scripts use: companies, accounts and everything in them. Every call needs a token " +
  "with the right that the route requires; the management token has all."

const confirmations = {
  Always: ["Of a session, a factor given in the last 15 minutes."],
  ByBody: ["Of a session, for some bodies a factor given in the last 15 minutes."],
  Never: []
} as const

/** What each operation requires, in words, by the operation's id. */
const requirements: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.values(ManagementApi.groups).flatMap((group) =>
    Object.values(group.endpoints as unknown as Record<string, HttpApiEndpoint.Top>).flatMap((endpoint) => {
      const guard = Context.getUnsafe(endpoint.annotations, EndpointGuard as never) as Guard
      if (guard._tag !== "Management" && guard._tag !== "Session") return []
      const isRight = guard._tag === "Management" && guard.requires !== "SignedIn"
      const sentences = [
        ...(isRight ? [`Requires the right \`${guard.requires}\`.`] : []),
        ...confirmations[guard.confirmation]
      ]
      return [[`${group.identifier}.${endpoint.identifier}`, sentences] as const]
    })
  )
)

const descriptionOf = ({ description: own, operationId }: OpenApi.OpenAPISpecOperation) => {
  const required = (requirements.get(operationId) ?? []).join(" ")
  return [own ?? "", required].filter((sentence) => sentence !== "").join("\n\n")
}

const operationOf = (operation: OpenApi.OpenAPISpecOperation) => {
  const { "200": plain, ...others } = operation.responses
  return {
    ...operation,
    description: descriptionOf(operation),
    tags: operation.tags.map(titled),
    parameters: operation.parameters.map(parameterOf),
    summary: operation.summary ?? inWords(operation.operationId.split(".").at(-1) ?? ""),
    security: [{ ManagementToken: [] }],
    // An endpoint without a status of its own replies with 200, or with 201 if it created something.
    responses: { ...(plain === undefined ? {} : { "2XX": plain }), ...others, ...refusals }
  }
}

const itemOf = (item: OpenApi.OpenAPISpecPathItem) =>
  Object.fromEntries(
    methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [[method, operationOf(operation)]]
    })
  )

/** The document with each schema once. The generator repeats a schema as `Name_1` where it is optional. */
const withoutRepeats = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  const { components } = document
  const originals = originalsOf(components.schemas)
  const prefix = "#/components/schemas/"
  const referTo = (key: string, value: unknown): unknown => {
    const original = key === "$ref" ? originals.get(String(value).slice(prefix.length)) : undefined
    return original === undefined ? value : prefix + original
  }
  const once = Object.entries(components.schemas).filter(([name]) => !originals.has(name))
  const whole = { ...document, components: { ...components, schemas: Object.fromEntries(once) } }
  return JSON.parse(JSON.stringify(whole, referTo)) as OpenApi.OpenAPISpec
}

/** Makes the document of a service at `baseUrl`, which has no trailing slash. */
export const makeManagementOpenApi = (baseUrl: string) => {
  const { components, paths, tags, ...rest } = withoutRepeats(OpenApi.fromApi(ManagementApi))
  return {
    ...rest,
    info: { ...rest.info, description },
    servers: [{ url: baseUrl, description: "This installation" }],
    security: [{ ManagementToken: [] }],
    tags: tags.map((tag) => ({ ...tag, name: titled(tag.name) })),
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, itemOf(item)])),
    components: {
      ...components,
      schemas: { ...components.schemas, Error: error, Failure: failure },
      securitySchemes: {
        ManagementToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "svc_admin_..., svc_ops_... or svc_team_..."
        }
      }
    }
  }
}
