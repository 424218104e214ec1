/**
 * Generates the operations of the published APIs from their definitions.
 *
 * @module
 */
import { Context, type Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { BatchList, EndpointGuard, type Guard, IsExpensive, MaxBody, OptionalBody } from "../Envelope.ts"
import { Notes, type OperationNotes } from "../Notes.ts"
import { type ResponseFacts, responsesOf, codesOf } from "./OpenApiResponses.ts"
import type {
  Method,
  Operation,
  Parameter,
  PathItem,
  RequestBody,
  SchemaObject,
  Schemas
} from "./OpenApiModel.ts"

/** A published endpoint with its group. */
export interface Published {
  readonly group: HttpApiGroup.Top
  readonly endpoint: HttpApiEndpoint.Top
  /** The names of the group and the endpoint, joined by a dot. */
  readonly operationId: string
}

/** The endpoints of an API, in the order they were added. */
export const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Published> => {
  const all: Array<Published> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      all.push({ group, endpoint, operationId: `${group.identifier}.${endpoint.identifier}` })
    }
  })
  return all
}

const parameterParts = ["path", "query", "header"] as const

const keyOf = ({ operationId }: Published, part: (typeof parameterParts)[number] | "body" | "success") =>
  `${operationId} ${part}`

/** The schemas of an endpoint, under names that no other endpoint uses. */
export const schemasOf = (published: Published): Readonly<Record<string, Schema.Top>> => {
  const { headers, params, payload, query, success } = published.endpoint
  const named = {
    path: params,
    query,
    header: headers,
    body: [...payload.values()][0]?.schemas[0],
    success: [...success][0]
  }
  const entries = Object.entries(named).flatMap(([part, schema]): Array<[string, Schema.Top]> =>
    schema === undefined ? [] : [[keyOf(published, part as keyof typeof named), schema]]
  )
  return Object.fromEntries(entries)
}

const annotation = <A>({ endpoint }: Published, key: Context.Reference<A>): A =>
  Context.get(endpoint.annotations as Context.Context<never>, key)

const guardOf = ({ endpoint }: Published): Guard =>
  Context.getUnsafe(endpoint.annotations, EndpointGuard as never) as Guard

/** The notes of an endpoint. Throws if a published endpoint has none. */
const notesOf = (published: Published): OperationNotes => {
  const notes = annotation(published, Notes)
  if (notes === null) throw new Error(`${published.operationId} is published and has no notes.`)
  return notes
}

/** Converts a header's name: `idempotency-key` becomes `Idempotency-Key`. */
const headerName = (name: string): string => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

const parametersOf = (
  published: Published,
  schemas: Schemas,
  { example }: OperationNotes
): ReadonlyArray<Parameter> =>
  parameterParts.flatMap((part) => {
    const { properties = {}, required = [] } = schemas[keyOf(published, part)] ?? {}
    return Object.entries(properties).map(([key, { description, ...schema }]) => {
      const name = part === "header" ? headerName(key) : key
      const value = example.parameters?.[name]
      return {
        name,
        in: part,
        required: part === "path" || required.includes(key),
        ...(description === undefined ? {} : { description }),
        schema,
        ...(value === undefined ? {} : { example: value })
      }
    })
  })

const mebibyte = 1024 * 1024

const bodyOf = (published: Published, schema: SchemaObject, notes: OperationNotes): RequestBody => {
  const alone =
    annotation(published, BatchList) === null
      ? ""
      : " An entry of the wrong shape fails alone, with `validation.type`."
  return {
    required: !annotation(published, OptionalBody),
    description: `At most ${annotation(published, MaxBody) / mebibyte} MiB.${alone}`,
    content: { "application/json": { schema, example: notes.example.body } }
  }
}

const securityOf = (guard: Guard): Operation["security"] =>
  guard._tag === "Open" ? [] : [{ [guard._tag === "Key" ? "ApiKey" : guard._tag]: [] }]

const listed = (codes: ReadonlyArray<string>): string => codes.map((code) => `\`${code}\``).join(", ")

const operationOf = (published: Published, schemas: Schemas): Operation => {
  const notes = notesOf(published)
  const guard = guardOf(published)
  const body = schemas[keyOf(published, "body")]
  const success = schemas[keyOf(published, "success")]
  if (success === undefined) throw new Error(`${published.operationId} has no success response.`)
  const { endpoint, group, operationId } = published
  const parameters = parametersOf(published, schemas, notes)
  const isExpensive = annotation(published, IsExpensive) || parameters.some(({ name }) => name === "page")
  const facts: ResponseFacts = { guard, notes, hasBody: body !== undefined, isExpensive, success }
  const { entryCodes } = notes
  const entries = entryCodes === undefined ? [] : [`Codes of entries that fail: ${listed(entryCodes)}.`]
  const permission = guard._tag === "Key" ? [`Needs the permission \`${guard.permission}\`.`] : []
  return {
    operationId,
    tags: [titleOf(group)],
    summary: Context.getOrElse(endpoint.annotations, OpenApi.Summary, () => operationId),
    description: [notes.description, ...permission, ...entries].join("\n\n"),
    security: securityOf(guard),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyOf(published, body, notes) }),
    responses: responsesOf(facts),
    ...(guard._tag === "Key" ? { "x-permission": guard.permission } : {}),
    "x-error-codes": codesOf(facts),
    ...(entryCodes === undefined ? {} : { "x-entry-error-codes": entryCodes })
  }
}

/** The title of a group. */
const titleOf = (group: HttpApiGroup.Top): string =>
  Context.getOrElse(group.annotations, OpenApi.Title, () => group.identifier)

/** The groups of endpoints as tags. */
export const tagsOf = (all: ReadonlyArray<Published>) =>
  [...new Set(all.map(({ group }) => group))].map((group) => ({
    name: titleOf(group),
    description: Context.getOrElse(group.annotations, OpenApi.Description, () => titleOf(group))
  }))

/** The paths of endpoints. `schemas` are the compiled schemas that {@link schemasOf} named. */
export const pathsOf = (
  all: ReadonlyArray<Published>,
  schemas: Schemas
): Readonly<Record<string, PathItem>> => {
  const paths: Record<string, Partial<Record<Method, Operation>>> = {}
  for (const published of all) {
    const { method, path } = published.endpoint
    const item = (paths[path.replaceAll(/:(\w+)/g, "{$1}")] ??= {})
    item[method.toLowerCase() as Method] = operationOf(published, schemas)
  }
  return paths
}
